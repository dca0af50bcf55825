import { isObject } from '../../../../../framework/base/index.ts';

import type { Credentials } from './credentials.ts';

/** The fields of a service key, in the order in which the proxy has had them. */
const textFields = [
  'credential-type',
  'instance_guid',
  'instance_name',
  'label',
  'plan',
  'subaccount_id',
  'subaccount_subdomain',
] as const;
const tokenFields = [
  'token_service_domain',
  'token_service_url',
  'token_service_url_pattern',
  'token_service_url_pattern_tenant_key',
  'type',
  'xsappname',
] as const;
const serviceFields = ['CAs_path', 'CAs_signing_path', 'api_path', 'tunnel_path', 'url'] as const;

/** The JSON text that the proxy reads its credentials from. Fields that are missing are empty. */
export function serviceKeyOf(credentials: Credentials): string {
  const service = credentials.connectivity_service;
  const tags = credentials.tags;
  return JSON.stringify({
    ...texts(credentials, ['clientid', 'clientsecret']),
    connectivity_service: texts(isObject(service) ? service : {}, serviceFields),
    ...texts(credentials, textFields),
    tags: Array.isArray(tags) ? tags : [],
    ...texts(credentials, tokenFields),
  });
}

function texts(from: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = Object.hasOwn(from, field) ? from[field] : undefined;
      return [field, typeof value === 'string' ? value : ''];
    }),
  );
}
