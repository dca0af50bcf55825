/** An `authorization` header and the only origin that the transport sends it to. */
export interface HostCredential {
  readonly origin: string;
  readonly authorization: string;
}

export const bearerFor = ({ origin }: URL, token: string): HostCredential => ({
  origin,
  authorization: `Bearer ${token}`,
});

export const basicFor = ({ origin }: URL, user: string, password: string): HostCredential => ({
  origin,
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
