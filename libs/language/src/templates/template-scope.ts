/** The value of an input. */
export type InputValue = string | number | boolean;

/** What templates and scripts may name beside the goal. */
export interface TemplateScope {
  inputs: Readonly<Record<string, InputValue>>;
  vars: Readonly<Record<string, string>>;
  /** How a name that is not there is reported: a check warns, a run is not made. */
  undefinedIs: 'warning' | 'error';
  /** The workflow executes inside another one's run, whose inputs its scripts find in variables. */
  isInside?: true;
}
