import { describe, expect, it } from '@jest/globals';
import { aHook } from '#test/support/a-hook.js';
import { HookList, isBlocking } from './hook-list.js';
