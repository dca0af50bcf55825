import type { Authority } from '../../../../hack/control-planes/access/authority.ts';
import { fingerprintOf } from '../../base/oauth/client-certificate.ts';
import { randomSecret } from '../../base/oauth/clients.ts';
import type { Store } from '../store.ts';

/** Data of a binding's Secret, not encoded, in the three forms that bindings come in. */
export interface CredentialForms {
  /** Keys `baseurl` and `uaa`. */
  readonly fields: Record<string, string>;
  /** One key `credentials` whose JSON holds all. */
  readonly json: Record<string, string>;
  /** Keys `baseurl` and `uaa`, the latter with certificate and key instead of a secret. */
  readonly x509: Record<string, string>;
}

/** Those forms without a certificate, whose issue takes as long as a test's other preparations. */
export type SecretForms = Pick<CredentialForms, 'fields' | 'json'>;

export interface Endpoints {
  /** `host:port` of the API. */
  readonly baseurl: string;
  readonly tokenUrl: string;
  readonly certTokenUrl: string;
}

export interface Credentials {
  /** The instance's current ones; made at the first call. */
  of(instance: string): Promise<CredentialForms>;
  /** Of the same ones. */
  withSecret(instance: string): SecretForms;
  /** New ones, as a new binding gives. Those before them stay valid or not. */
  rotate(instance: string, options?: { readonly revokeOld?: boolean }): Promise<CredentialForms>;
}

export interface CredentialsOptions {
  readonly store: Store;
  readonly authority: Authority;
  readonly endpoints: () => Endpoints;
}

/** Of one binding. */
interface Made {
  readonly ids: readonly string[];
  readonly secretForms: SecretForms;
  /** Issues the certificate at the first call. */
  x509(): Promise<CredentialForms['x509']>;
}

export function createCredentials({ store, authority, endpoints }: CredentialsOptions): Credentials {
  const current = new Map<string, Made>();
  let generation = 0;

  const make = (instance: string): Made => {
    if (!store.hasInstance(instance)) throw new Error(`there is no instance ${instance}`);
    generation++;
    // The alphabet of real client IDs; their ! and | must survive every encoding.
    const id = `sb-${instance}!b${generation}|hana-cloud!b1`;
    const certificateID = `sb-${instance}!b${generation}|hana-cloud-x509!b1`;
    const secret = randomSecret();
    const instances = new Set([instance]);
    store.addClient({ id, secret, instances });
    const { baseurl, tokenUrl, certTokenUrl } = endpoints();
    const uaa = { url: tokenUrl, clientid: id, clientsecret: secret };
    const issue = async () => {
      const pair = await authority.issueClient(certificateID);
      store.addClient({ id: certificateID, certificate: fingerprintOf(pair.certificate), instances });
      const uaaX509 = {
        url: tokenUrl,
        certurl: certTokenUrl,
        clientid: certificateID,
        certificate: pair.certificate,
        key: pair.key,
        'credential-type': 'x509',
      };
      return { baseurl, uaa: JSON.stringify(uaaX509) };
    };
    let issued: ReturnType<typeof issue> | undefined;
    return {
      ids: [id, certificateID],
      secretForms: {
        fields: { baseurl, uaa: JSON.stringify(uaa) },
        json: { credentials: JSON.stringify({ baseurl, uaa }) },
      },
      x509: () => {
        issued ??= issue();
        return issued;
      },
    };
  };
  const begin = (instance: string) => {
    const made = make(instance);
    current.set(instance, made);
    return made;
  };
  const currentOf = (instance: string) => current.get(instance) ?? begin(instance);
  const formsOf = async ({ secretForms, x509 }: Made): Promise<CredentialForms> => ({
    ...secretForms,
    x509: await x509(),
  });

  return {
    of: async (instance) => formsOf(currentOf(instance)),
    withSecret: (instance) => currentOf(instance).secretForms,
    rotate: async (instance, { revokeOld = false } = {}) => {
      const old = current.get(instance);
      const forms = await formsOf(begin(instance));
      if (revokeOld) for (const id of old?.ids ?? []) store.removeClient(id);
      return forms;
    },
  };
}
