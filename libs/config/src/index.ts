export { addressOf, parseBinding, type Binding } from './binding.js';
export { readToken, saveToken } from './credentials.js';
export { ConfigError } from './errors.js';
export { homeOf, type Home } from './home.js';
export { readIfThere } from './read-if-there.js';
export { packageRoot, packageVersion } from './package.js';
export { serverConfig, type ServerConfig, type ServerFlags } from './server-config.js';
export { readServerRecord, removeServerRecord, writeServerRecord, type ServerRecord } from './server-record.js';
export { FIRST_SETTINGS, parseSettings, readSettings, type Settings } from './settings.js';
