import { type IncomingMessage } from 'node:http';

const ALWAYS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()',
  'X-Download-Options': 'noopen',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

/** What a drawing may do when it is opened by itself: show its own style sheet, and nothing else. */
export const DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const TWO_YEARS_SECONDS = 63_072_000;

/** The headers of every response. A handler may choose its own caching by setting `Cache-Control` again. */
export function responseHeaders(requestId: string, request: IncomingMessage): Record<string, string> {
  return {
    'x-request-id': requestId,
    ...ALWAYS,
    ...(cameOverHttps(request)
      ? { 'Strict-Transport-Security': `max-age=${TWO_YEARS_SECONDS}; includeSubDomains` }
      : {}),
  };
}

/** A proxy's word is enough for this one header: believing a false one only asks the browser for https. */
function cameOverHttps({ headers }: IncomingMessage): boolean {
  return (
    String(headers['x-forwarded-proto'] ?? '')
      .split(',', 1)[0]
      ?.trim() === 'https'
  );
}
