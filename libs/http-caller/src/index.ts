export { UndiciHttpCaller } from './undici-http-caller.js';
