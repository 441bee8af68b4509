export { DiskObjectStore } from './disk-object-store.js';
export { InvalidObjectKeyError, InvalidRangeError, ObjectStoreUnavailableError } from './errors.js';
export { assertObjectsFit } from './object-store-fitness.js';
export { S3ObjectStore, type S3Settings } from './s3-object-store.js';
