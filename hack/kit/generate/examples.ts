/** Manifests that the CRDs accept: `examples/<scope>/<kind>.yaml`, and a ProviderConfig with its Secret for each scope. */
import { isObject, ownMember } from '../../../internal/framework/base/json/json-value.ts';
import { kubernetesYaml } from '../../../internal/framework/base/text/kubernetes-yaml.ts';
import { visible } from '../../../internal/framework/base/text/redact.ts';
import { secretRefName } from '../../../internal/framework/rest/definition.ts';
import { withSecretRefs } from '../../../internal/framework/rest/fakes/rest-sample.ts';
import { referenceNames } from '../../codegen/schema/reference-fields.ts';
import type { Form, ManagedSource, Schema } from '../../codegen/source/source.ts';
import type { JsonObject } from '../document/openapi-document.ts';
import type { Authentication, Scope } from '../format/provider-file.ts';
import type { KindModel } from '../model/kind-model.ts';

export const scopeOf = ({ scope }: Form): Scope => (scope === 'Cluster' ? 'cluster' : 'namespaced');

export const examplePath = (kind: string, form: Form): string =>
  `examples/${scopeOf(form)}/${kind.toLowerCase()}.yaml`;

/** All examples have this name, so that they refer to each other. */
const NAME = 'example';
const VALUES = 'example-values';
/** Of Secrets for cluster-scoped objects. */
const NAMESPACE = 'crossplane-system';

/**
 * One object with the fields that are required, and references to others; before it, the Secret with values that it needs.
 *
 * @param cyclic kinds that refer to this one, directly or not: none of both would be created
 */
export function kindExample(
  source: ManagedSource,
  form: Form,
  { sample, definition }: Pick<KindModel, 'sample' | 'definition'>,
  cyclic: ReadonlySet<string>,
): string {
  const namespace = form.scope === 'Cluster' ? { namespace: NAMESPACE } : {};
  const values: Record<string, string> = {};
  const refTo = (key: string, value: unknown) => {
    values[key] = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    return { name: VALUES, key, ...namespace };
  };
  const stated = Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]) => {
      const value = ownMember(sample.forProvider, name);
      if (field.secret) return [secretRefName(name), refTo(name, value)];
      return [
        name,
        withSecretRefs(value, field, (text) => refTo(`${name}-${Object.keys(values).length}`, text)),
      ];
    }),
  );
  const forProvider = requiredOf(source.forProvider, { ...sample.forProvider, ...stated }, cyclic);
  const shown = JSON.stringify(forProvider);
  const used = Object.keys(values).filter((key) =>
    shown.includes(`"name":"${VALUES}","key":${JSON.stringify(key)}`),
  );
  const hasDetails = Object.keys(definition.connection ?? {}).length > 0;
  const object = {
    apiVersion: `${form.group}/${source.version}`,
    kind: form.kind,
    metadata: { name: NAME },
    spec: {
      forProvider,
      ...(hasDetails
        ? { writeConnectionSecretToRef: { name: `${form.singular}-${NAME}`, ...namespace } }
        : {}),
      providerConfigRef: { ...(form.scope === 'Cluster' ? {} : { kind: 'ProviderConfig' }), name: 'default' },
    },
  };
  if (used.length === 0) return manifests([object]);
  const data = Object.fromEntries(used.map((name) => [name, values[name] ?? '']));
  return manifests([secretOf(VALUES, data, namespace), object]);
}

/** The value of a sample with what is required, or with all fields if nothing is. */
function requiredOf(schema: Schema, value: unknown, cyclic: ReadonlySet<string>): unknown {
  if (Array.isArray(value))
    return value.map((item) => (schema.items === undefined ? item : requiredOf(schema.items, item, cyclic)));
  const { properties = {}, required = [] } = schema;
  if (!isObject(value) || Object.keys(properties).length === 0) return value;
  const isAny = required.length === 0;
  const members = Object.entries(properties).flatMap(([name, field]): [string, unknown][] => {
    const given = ownMember(value, name);
    const isRequired = required.includes(name);
    if (field.$reference !== undefined) {
      if (cyclic.has(field.$reference.kind) && !isRequired) return [];
      const { ref } = referenceNames(name, field);
      return [[ref, field.type === 'array' ? [{ name: NAME }] : { name: NAME }]];
    }
    if (given === undefined || !(isRequired || isAny)) return [];
    return [[name, requiredOf(field, given, cyclic)]];
  });
  return Object.fromEntries(members);
}

/** With which objects of the scope reach the API. */
export function configExample(
  { group, version, scope }: { readonly group: string; readonly version: string; readonly scope: Scope },
  { authentication, url }: { readonly authentication: Authentication; readonly url: string | undefined },
): string {
  const namespace = scope === 'cluster' ? { namespace: NAMESPACE } : {};
  const content = contentOf(authentication);
  const name = group.split('.', 1)[0] ?? group;
  const config = {
    apiVersion: `${group}/${version}`,
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: {
      url: url ?? 'https://api.example.org',
      credentials:
        content === undefined
          ? { source: 'None' }
          : { source: 'Secret', secretRef: { name, key: 'credentials', ...namespace } },
    },
  };
  return manifests([
    ...(content === undefined ? [] : [secretOf(name, { credentials: content }, namespace)]),
    config,
  ]);
}

/** The content of the Secret's key, as docs/authors/credentials.md describes it. */
function contentOf(authentication: Authentication): string | undefined {
  const json = (value: object) => JSON.stringify(value);
  if (authentication === 'none') return undefined;
  if (authentication === 'bearer') return 'my-token';
  if (authentication === 'basic') return json({ username: 'me', password: 'my-password' });
  if (authentication === 'client-credentials')
    return json({
      clientId: 'me',
      clientSecret: 'my-secret',
      tokenUrl: 'https://login.example.org/oauth/token',
    });
  if ('headers' in authentication)
    return json(
      Object.fromEntries(Object.values(authentication.headers).map((member) => [member, `my-${member}`])),
    );
  return 'my-key';
}

const secretOf = (name: string, stringData: JsonObject, namespace: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...namespace },
  stringData,
});

/** A text of the document may have any characters; in double quotes they are escaped. */
const manifests = (objects: readonly object[]): string =>
  objects
    .map((object) => kubernetesYaml(object, { lineWidth: 0 }, (text) => visible(text) !== text))
    .join('---\n');
