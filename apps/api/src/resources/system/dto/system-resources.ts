import { OneOf, Flag, Integer, ListOf, Nested, Numeric, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { textKind } from '../../../edge/schema/values.js';

const BYTES = { format: 'int64', nullable: true } as const;

/** What cannot be read here says so, and its figures are null. */
class Measured {
  @Flag() supported!: boolean;
  @Text({ nullable: true }) unavailable_reason!: string | null;
}

export class SystemCpuResources extends Measured {
  @OneOf(['server_environment'], { name: 'SystemCpuResourceScope' }) scope!: 'server_environment';
  @Integer(BYTES) logical_cpus!: number | null;
  @Numeric({ nullable: true, doc: 'Of all processors together; null until there are two samples.' })
  usage_percent!: number | null;
  @Integer(BYTES) sample_window_ms!: number | null;
}

export class SystemMemoryResources extends Measured {
  @OneOf(['host', 'cgroup'], { name: 'SystemMemoryResourceScope' }) scope!: 'host' | 'cgroup';
  @Integer(BYTES) total_bytes!: number | null;
  @Integer(BYTES) used_bytes!: number | null;
  @Integer(BYTES) available_bytes!: number | null;
  @Numeric({ nullable: true }) used_percent!: number | null;
  @Integer(BYTES) host_total_bytes!: number | null;
}

export class FileSystemResources extends Measured {
  @OneOf(['storage_filesystem'], { name: 'SystemDiskResourceScope' }) scope!: 'storage_filesystem';
  @Text() storage_path!: string;
  @Text({ nullable: true }) mount_point!: string | null;
  @Text({ nullable: true }) filesystem!: string | null;
  @Integer(BYTES) total_bytes!: number | null;
  @Integer(BYTES) used_bytes!: number | null;
  @Integer(BYTES) available_bytes!: number | null;
  @Numeric({ nullable: true }) used_percent!: number | null;
}

export class SystemDiskResources extends FileSystemResources {
  @Integer({ format: 'int64', doc: "What the tenant's runs take, wherever it lies; at most a minute old." })
  service_managed_bytes!: number;
  @Integer({ format: 'int64', doc: 'What pruning would give back.' }) service_reclaimable_bytes!: number;
}

export class SystemSchedulerResources {
  @Integer({ doc: 'Runs that may execute at once.' }) slots_limit!: number;
  @Integer() slots_in_use!: number;
  @Integer({ doc: 'Runs that wait for a slot.' }) runs_queued!: number;
  @Integer({ doc: 'Runs that wait for a person, a moment or a worker of a newer version.' }) runs_parked!: number;
  @Integer() leases_held!: number;
  @Integer({ doc: 'Their worker was lost, and no other has them yet.' }) leases_expired!: number;
  @Integer({ doc: 'The longest wait for a slot.' }) slot_wait_ms!: number;
  @Integer({ doc: 'The longest wait for a worker.' }) worker_wait_ms!: number;
  @Integer({ doc: 'Rows that something should have moved and did not.' }) stuck_rows!: number;
  @Integer() workers_alive!: number;
  @Integer({ doc: 'Gone without a word.' }) workers_missing!: number;
}

export class SystemResourcesResponse {
  @Timestamp() sampled_at!: string;
  @Nested(SystemCpuResources) cpu!: SystemCpuResources;
  @Nested(SystemMemoryResources) memory!: SystemMemoryResources;
  @Nested(SystemDiskResources) disk!: SystemDiskResources;
  @Nested(SystemSchedulerResources, { doc: 'Of the whole server, over all tenants.' })
  scheduler!: SystemSchedulerResources;
  @ListOf(textKind()) notes!: string[];
}
