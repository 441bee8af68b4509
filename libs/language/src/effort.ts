/**
 * How much one compilation may do where a short text asks for a lot: loops of templates, repetitions in patterns. `brief`
 * is for a process in which others wait meanwhile; what a compilation of that kind leaves undone it says.
 */
export type CompileEffort = 'brief' | 'whole';
