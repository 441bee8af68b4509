// Opens N event streams on bare sockets in a process of its own and says how long each frame was on its way: every frame
// carries the moment of its origin, behind "at:", in nanoseconds of the monotonic clock that all processes share.
// argv: url, token, streams, frames a stream. Says `open`, then one line of JSON.
import net from 'node:net';
import { quantile, round } from './stats.mjs';

const [url, token, streams, frames] = [
  new URL(process.argv[2]),
  process.argv[3],
  Number(process.argv[4]),
  Number(process.argv[5]),
];
const latencies = [];
let [opened, done, received, first, last] = [0, 0, 0, 0, 0];
const now = () => Number(process.hrtime.bigint()) / 1e6;

for (let i = 0; i < streams; i++) follow();
setTimeout(report, 120_000).unref();

function follow() {
  const socket = net.connect(Number(url.port), url.hostname);
  let tail = '';
  let seen = 0;
  let isOpen = false;
  socket.setEncoding('latin1').setNoDelay(true);
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  socket.on('data', (chunk) => {
    const moment = now();
    if (!isOpen && ++opened === streams) process.stdout.write('open\n');
    isOpen = true;
    const text = tail + chunk;
    let end = 0;
    for (const match of text.matchAll(/at:(\d+)"/g)) {
      latencies.push(moment - Number(match[1]) / 1e6);
      end = match.index + match[0].length;
      received++;
      first ||= moment;
      last = moment;
      if (++seen === frames && ++done === streams) report();
    }
    tail = text.slice(Math.max(end, text.length - 64));
  });
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

function report() {
  console.log(
    JSON.stringify({
      missing: streams * frames - received,
      p50: round(quantile(latencies, 0.5)),
      p99: round(quantile(latencies, 0.99)),
      perSecond: round((received / (last - first)) * 1000, 0),
    }),
  );
  process.exit(0);
}
