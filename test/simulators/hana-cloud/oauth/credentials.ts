import type { Authority } from '../../../../hack/control-planes/access/authority.ts';
import { fingerprintOf } from '../../base/oauth/client-certificate.ts';
import { randomSecret } from '../../base/oauth/clients.ts';
import type { Client, Store } from '../store.ts';

/** Data of a binding's Secret, not encoded, in the three forms that bindings come in. */
export interface CredentialForms {
  /** Keys `baseurl` and `uaa`. */
  readonly fields: Record<string, string>;
  /** One key `credentials` whose JSON holds all. */
  readonly json: Record<string, string>;
  /** Keys `baseurl` and `uaa`, the latter with certificate and key instead of a secret. */
  readonly x509: Record<string, string>;
}

export interface Endpoints {
  /** `host:port` of the API. */
  readonly baseurl: string;
  readonly tokenUrl: string;
  readonly certTokenUrl: string;
}

export interface Credentials {
  /** The instance's current ones; made at the first call. */
  of(instance: string): Promise<CredentialForms>;
  /** New ones, as a new binding gives. Those before them stay valid or not. */
  rotate(instance: string, options?: { readonly revokeOld?: boolean }): Promise<CredentialForms>;
}

export interface CredentialsOptions {
  readonly store: Store;
  readonly authority: Authority;
  readonly endpoints: () => Endpoints;
}

export function createCredentials({ store, authority, endpoints }: CredentialsOptions): Credentials {
  const current = new Map<string, Promise<{ ids: string[]; forms: CredentialForms }>>();
  let generation = 0;

  const make = async (instance: string) => {
    if (!store.hasInstance(instance)) throw new Error(`there is no instance ${instance}`);
    generation++;
    // The alphabet of real client IDs; their ! and | must survive every encoding.
    const id = `sb-${instance}!b${generation}|hana-cloud!b1`;
    const certificateID = `sb-${instance}!b${generation}|hana-cloud-x509!b1`;
    const secret = randomSecret();
    const pair = await authority.issueClient(certificateID);
    const instances = new Set([instance]);
    const fingerprint = fingerprintOf(pair.certificate);
    const clients: Client[] = [
      { id, secret, instances },
      { id: certificateID, certificate: fingerprint, instances },
    ];
    for (const client of clients) store.addClient(client);
    const { baseurl, tokenUrl, certTokenUrl } = endpoints();
    const uaa = { url: tokenUrl, clientid: id, clientsecret: secret };
    const uaaX509 = {
      url: tokenUrl,
      certurl: certTokenUrl,
      clientid: certificateID,
      certificate: pair.certificate,
      key: pair.key,
      'credential-type': 'x509',
    };
    const forms = {
      fields: { baseurl, uaa: JSON.stringify(uaa) },
      json: { credentials: JSON.stringify({ baseurl, uaa }) },
      x509: { baseurl, uaa: JSON.stringify(uaaX509) },
    };
    return { ids: clients.map((client) => client.id), forms };
  };
  const begin = (instance: string) => {
    const made = make(instance);
    current.set(instance, made);
    return made;
  };

  return {
    of: async (instance) => (await (current.get(instance) ?? begin(instance))).forms,
    rotate: async (instance, { revokeOld = false } = {}) => {
      const old = await current.get(instance);
      const { forms } = await begin(instance);
      if (revokeOld) for (const id of old?.ids ?? []) store.removeClient(id);
      return forms;
    },
  };
}
