/** Address of a server; without host on every interface. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `:port` or `host:port`, IPv6 hosts in brackets; undefined for anything else. */
export function parseListenAddress(address: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  return { host: match[1] ?? (match[2] === '' ? undefined : match[2]), port };
}

/** Flags disable a server by `0` or an empty address. */
export function isOff(address: string): boolean {
  return address === '0' || address === '';
}
