import ipaddr from 'ipaddr.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The proxy of the environment for `url`: HTTPS_PROXY or HTTP_PROXY by the URL's scheme, unless NO_PROXY matches the host.
 * Undefined: connect directly. Lower-case names have precedence, empty values count as unset.
 *
 * NO_PROXY lists domains with all below them (`.example.com` and `*.example.com`: only what is below), addresses
 * and CIDR blocks, each with an optional port, or `*`; loopback is never proxied. As in Go's
 * golang.org/x/net/http/httpproxy.
 */
export function proxyFromEnv(url: URL, env: Environment): string | undefined {
  const proxy =
    url.protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY;
  if (!proxy) return undefined;
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const address = ipaddr.isValid(host) ? ipaddr.process(host) : undefined;
  if (host === 'localhost' || address?.range() === 'loopback') return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = (env.no_proxy || env.NO_PROXY || '').toLowerCase().split(/[,\s]+/);
  if (entries.some((entry) => covers(entry, host, address, port))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function covers(entry: string, host: string, address: Address | undefined, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (ipaddr.isValidCIDR(entry)) {
    const [block, bits] = ipaddr.parseCIDR(entry);
    return address?.kind() === block.kind() && address.match(block, bits);
  }
  const { name, only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (address !== undefined)
    return ipaddr.isValid(name) && address.toString() === ipaddr.process(name).toString();
  const domain = name.replace(/\.$/, '');
  const below = domain.replace(/^\*?\./, '');
  return host.endsWith(`.${below}`) || (below === domain && host === domain);
}

/** `[fd00::1]:443`, `host:443`, `fd00::1` and `host` into name and port. */
function splitPort(entry: string): { name: string; only: string | undefined } {
  if (ipaddr.isValid(entry)) return { name: entry, only: undefined };
  const parts = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry);
  return { name: parts?.[1] ?? parts?.[2] ?? entry, only: parts?.[3] };
}
