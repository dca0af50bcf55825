import type { Authority } from '../../../hack/control-planes/access/authority.ts';
import { fingerprintOf } from '../base/oauth/client-certificate.ts';
import { randomSecret } from '../base/oauth/clients.ts';
import type { Store } from './state/store.ts';

/** Data of the operator's Secret, not encoded. */
export interface CredentialForms {
  /** `clientid`, `clientsecret`, `sm_url`, `tokenurl`, `tokenurlsuffix`. */
  readonly secret: Record<string, string>;
  /** `clientid`, `tls.crt`, `tls.key`, `sm_url`, `tokenurl`, `tokenurlsuffix`. */
  readonly x509: Record<string, string>;
}

export interface Credentials {
  /** The current ones of a subaccount; made at the first call. */
  of(subaccount: string): Promise<CredentialForms>;
  /** New ones, as a new binding of the access instance gives. Those before them stay valid or not. */
  rotate(subaccount: string, options?: { readonly revokeOld?: boolean }): Promise<CredentialForms>;
}

export interface CredentialsOptions {
  readonly store: Store;
  readonly authority: Authority;
  /** Of the API and the token endpoint. */
  readonly url: () => string;
}

export function createCredentials({ store, authority, url }: CredentialsOptions): Credentials {
  const current = new Map<string, Promise<{ ids: string[]; forms: CredentialForms }>>();
  let generation = 0;
  const make = async (subaccount: string) => {
    generation++;
    // The alphabet of real client IDs; their ! and | must survive every encoding.
    const id = `sb-${subaccount}!b${generation}|service-manager!b3`;
    const certificateID = `sb-${subaccount}!b${generation}|service-manager-x509!b3`;
    const secret = randomSecret();
    const pair = await authority.issueClient(certificateID);
    store.addClient({ id, secret, subaccount });
    store.addClient({ id: certificateID, certificate: fingerprintOf(pair.certificate), subaccount });
    const endpoints = { sm_url: url(), tokenurl: url(), tokenurlsuffix: '/oauth/token' };
    return {
      ids: [id, certificateID],
      forms: {
        secret: { clientid: id, clientsecret: secret, ...endpoints },
        x509: { clientid: certificateID, 'tls.crt': pair.certificate, 'tls.key': pair.key, ...endpoints },
      },
    };
  };
  const begin = (subaccount: string) => {
    const made = make(subaccount);
    current.set(subaccount, made);
    return made;
  };
  return {
    of: async (subaccount) => (await (current.get(subaccount) ?? begin(subaccount))).forms,
    rotate: async (subaccount, { revokeOld = false } = {}) => {
      const old = await current.get(subaccount);
      const { forms } = await begin(subaccount);
      if (revokeOld) for (const id of old?.ids ?? []) store.removeClient(id);
      return forms;
    },
  };
}
