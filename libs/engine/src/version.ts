/**
 * The version of what a log means to the engine, written with every run. It is raised when a run that began under it
 * must not be driven by an older engine; a worker leaves the runs of newer versions to newer workers.
 */
export const ENGINE_VERSION = 1;

/** The version of the stored form of a run's state. A snapshot of any other is passed over, and the log is read. */
export const STATE_VERSION = 4;
