// `npm run guide`: writes the table of attributes of docs/guide from the language's own catalogue.
import { writeFile } from 'node:fs/promises';
import { attributePage } from '../dist/libs/language/src/printing/attribute-page.js';

await writeFile(new URL('../docs/guide/attributes.md', import.meta.url), attributePage());
