import { expect, it } from '@jest/globals';
import { greeting } from './greeting.js';

const served = { address: '/run/runyard.sock', url: 'http://127.0.0.1:3000', token: null, portTaken: null };

it('says where the server is, and the token once', () => {
  expect(greeting(served).split('\n').slice(0, 3)).toEqual([
    'Runyard is ready.',
    '  local client  /run/runyard.sock',
    '  API           http://127.0.0.1:3000',
  ]);
  expect(greeting(served)).not.toContain('token');
  expect(greeting({ ...served, token: 'service_dev_x' })).toContain('  token         service_dev_x  (shown once');
});

it('says that another port was chosen, and how to choose one', () => {
  const text = greeting({ ...served, url: 'http://127.0.0.1:40123', portTaken: 3000 });
  expect(text).toContain(
    '  API           http://127.0.0.1:40123\n  port 3000 is taken: this one was chosen; RUNYARD_WEB_PORT',
  );
});
