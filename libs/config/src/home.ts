import os from 'node:os';
import path from 'node:path';

/** The files of one user's state directory. */
export interface Home {
  /** The user's own directory, which the state directory need not lie in. */
  user: string;
  directory: string;
  settings: string;
  /** Where the server listens unless it is told otherwise. */
  socket: string;
  /** Tokens of the servers this user talks to. */
  credentials: string;
  /** Who serves this home now: process, socket, address. */
  serverRecord: string;
  serverLog: string;
  /** All data of a server that keeps them here. */
  storage: string;
  /** Data of the embedded PostgreSQL. */
  database: string;
  objects: string;
  sandboxes: string;
}

export function homeOf(env: NodeJS.ProcessEnv): Home {
  const user = env.HOME || os.homedir();
  const directory = path.resolve(env.RUNYARD_HOME ?? path.join(user, '.runyard'));
  const storage = path.resolve(env.RUNYARD_STORAGE ?? path.join(directory, 'storage'));
  return {
    user,
    directory,
    settings: env.RUNYARD_CONFIG ?? path.join(directory, 'settings.toml'),
    socket: path.join(directory, 'runyard.sock'),
    credentials: path.join(directory, 'credentials.json'),
    serverRecord: path.join(storage, 'server.json'),
    serverLog: path.join(storage, 'logs', 'server.log'),
    storage,
    database: path.join(storage, 'postgres'),
    objects: path.join(storage, 'objects'),
    sandboxes: path.join(storage, 'sandboxes'),
  };
}
