-- Every server process asks now and then whether the schema is still the one it migrated to.
GRANT SELECT ON _prisma_migrations TO runyard_app;
