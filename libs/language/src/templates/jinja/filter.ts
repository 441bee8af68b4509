import { type Value } from '@huggingface/jinja';
import { type Arguments } from './arguments.js';

/** Takes note of work before it is done, and throws when there has been too much. */
export type Spend = (units: number) => void;

/** What `value | name(…)` gives. Going through the value and the arguments once is paid for; what grows beyond is not. */
export type Filter = (value: Value, args: Arguments, spend: Spend) => Value;
