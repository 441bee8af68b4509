/**
 * The version of the folds of runs and stages. It is raised with every change of what they say about the events of a log:
 * a stored view of any other version is folded again.
 */
export const VIEW_VERSION = 1;
