import { writeFile } from 'node:fs/promises';
import { describeApi } from './describe-api.js';

/** Writes the OpenAPI document to the file named on the command line: `openapi-main.js <openapi.json>`. */
const [, , file] = process.argv;
if (!file) throw new Error('Name the file to write: openapi-main.js <openapi.json>');
await writeFile(file, await describeApi());
