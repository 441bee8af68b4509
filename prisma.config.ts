import { defineConfig } from 'prisma/config';

/** The tables of runs, whose SQL is written by hand: no draft of a migration touches them. */
const tablesOfRuns = [
  'cold_logs',
  'definitions',
  'definitions_to_check',
  'idempotency_keys',
  'outbox',
  'run_events',
  'run_heads',
  'run_snapshots',
  'run_views',
  'runs',
  'scheduler',
  'server_incarnations',
  'stage_views',
  'view_check',
  'workers',
];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: {
    path: 'prisma/migrations',
    // Prisma applies migrations to a shadow database that lacks its own table, to which one of them grants a right.
    initShadowDb: 'CREATE TABLE _prisma_migrations ()',
  },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/runyard' },
  experimental: { externalTables: true },
  tables: { external: tablesOfRuns.map((table) => `public.${table}`) },
});
