import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addSystemCheck } from './system-check.js';
import { addSystemDf } from './system-df.js';
import { addSystemInfo } from './system-info.js';
import { addSystemPrune } from './system-prune.js';
import { addSystemRepair } from './system-repair.js';

export function addSystem(program: Command, cli: Cli): void {
  const system = program.command('system').description('how the server is, and what it keeps');
  addSystemInfo(system, cli);
  addSystemCheck(system, cli);
  addSystemDf(system, cli);
  addSystemPrune(system, cli);
  addSystemRepair(system, cli);
}
