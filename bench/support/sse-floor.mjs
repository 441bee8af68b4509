// What Node and PostgreSQL allow: every POST commits its event and is then written to all who follow. In a process of its
// own, as the server is. argv: database url. Says its port.
import http from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 4 });
await pool.query(
  'DROP SCHEMA IF EXISTS sse_floor CASCADE; CREATE SCHEMA sse_floor; CREATE TABLE sse_floor.events (seq bigserial PRIMARY KEY, body json)',
);
const followers = new Set();
const server = http.createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    followers.add(response);
    response.on('close', () => followers.delete(response));
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (part) => (body += part));
  request.on('end', async () => {
    const insert = 'INSERT INTO sse_floor.events (body) SELECT value FROM json_array_elements($1) RETURNING seq, body';
    const events = `[${body}]`;
    const { rows } = await pool.query({ name: 'add', text: insert, values: [events] });
    for (const { seq, body: event } of rows) {
      const frame = `id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`;
      for (const follower of followers) follower.write(frame);
    }
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
