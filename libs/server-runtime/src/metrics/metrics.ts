import { DatabaseUnavailableError, type SystemFigures } from '#libs/persistence';
import type { ProcessMetrics } from './process-metrics.js';
import { SystemMetrics } from './system-metrics.js';

/** What Prometheus is sent. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Everything that operators scrape: of this process, and of the server as a whole, whose figures every process reads
 * alike. Nothing in it names a tenant, a run or a person. Without a database the part about the server is missing, for
 * an old figure or a zero would hide it.
 */
export class Metrics {
  private readonly ofSystem = new SystemMetrics();

  constructor(
    private readonly ofProcess: ProcessMetrics,
    private readonly figures: () => Promise<SystemFigures>,
  ) {}

  async text(): Promise<string> {
    const [system, own] = await Promise.all([this.systemText(), this.ofProcess.text()]);
    return `${own}${system}`;
  }

  private async systemText(): Promise<string> {
    try {
      return `${databaseUp(1)}${await this.ofSystem.text(await this.figures())}`;
    } catch (thrown) {
      if (thrown instanceof DatabaseUnavailableError) return databaseUp(0);
      throw thrown;
    }
  }
}

function databaseUp(value: 0 | 1): string {
  return [
    '# HELP runyard_database_up Whether the database answers this process.',
    '# TYPE runyard_database_up gauge',
    `runyard_database_up ${value}`,
    '',
  ].join('\n');
}
