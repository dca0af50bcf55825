/** `kinds.gen.ts`: the definitions of all kinds, and the provider that they are. */
import type { RestAuthentication } from '../../../internal/framework/rest/rest-api.ts';
import { constantName } from '../../codegen/types/kind-types.ts';
import type { Authentication, Scope } from '../format/provider-file.ts';
import type { KindModel } from '../model/kind-model.ts';
import type { AuthorProject } from './read-project.ts';

export function kindsModule({ file, document, kinds, hasHooks }: AuthorProject): string {
  const { group, version, api, name } = file;
  const folder = `./apis/${group}/${version}`;
  const url = api.url ?? document.url;
  const provider = {
    system: name,
    apiName: api.name ?? document.title,
    authentication: authenticationOf(api.authentication ?? document.authentication ?? 'none'),
    ...(url === undefined ? {} : { url }),
    ...(api.headers === undefined ? {} : { headers: api.headers }),
    ...(api.query === undefined ? {} : { query: api.query }),
  };
  const byHand = kinds.some(({ code }) => code !== undefined);
  return `${byHand ? 'import { kindByHand } from "provider-kyma/rest";\n' : ''}import type { RestDefinition, RestHooks, RestProvider } from "provider-kyma/rest";
import { configKinds } from "${folder}/providerconfigs.gen.ts";
${kinds.map((model) => importOf(model, folder)).join('')}${hasHooks ? 'import { hooks } from "./hooks.ts";\n' : ''}${kinds.map(hookTypes).join('')}
/** What hooks.ts may export as \`hooks\`: functions for kinds. */
export interface Hooks {
${kinds.map(({ kind }) => `    readonly ${kind}?: RestHooks<${kind}, ${kind}Request, ${kind}External>;\n`).join('')}}
${hasHooks ? 'const own: Hooks = hooks;\n' : ''}
${kinds
  .filter(({ code }) => code === undefined)
  .map((model) => definitionOf(model, hasHooks))
  .join('\n')}
export const provider: RestProvider = {
${members(provider, '    ')}
    configKinds,
    kinds: [
${kinds.map(entryOf).join('')}    ],
};
`;
}

export const lowerFirst = (text: string) => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
const hasReferences = ({ forProvider }: KindModel) => JSON.stringify(forProvider).includes('"$reference":');

function typesName(model: KindModel): string {
  const { scopes, kind } = model;
  return scopes.length === 2 ? `${lowerFirst(kind)}Types` : (scopeTypes(model)[0]?.[1] ?? '');
}

/** The resource type of each scope, as the module of types names it. */
function scopeTypes({ scopes, plural, kind }: KindModel): [Scope, string][] {
  const forms = scopes.map((scope) => ({
    scope: scope === 'cluster' ? ('Cluster' as const) : ('Namespaced' as const),
    group: '',
    kind,
    plural,
    singular: kind.toLowerCase(),
    emit: true,
  }));
  return forms.map((form, index) => [scopes[index] ?? 'cluster', constantName(form, forms)]);
}

function importOf(model: KindModel, folder: string): string {
  const { kind } = model;
  const names = [
    `type ${kind}`,
    ...(hasReferences(model) ? [`${lowerFirst(kind)}References`] : []),
    typesName(model),
  ];
  const own =
    model.code === undefined
      ? ''
      : `import { ${lowerFirst(kind)}, ${lowerFirst(kind)}Kind } from "./${model.code}";\n`;
  return `import { ${names.join(', ')} } from "${folder}/${kind.toLowerCase()}.gen.ts";\n${own}`;
}

function definitionOf({ kind, definition }: KindModel, hasHooks: boolean): string {
  const hooks = hasHooks ? `    hooks: own.${kind} ?? {},\n` : '';
  return `export const ${lowerFirst(kind)}: RestDefinition<${kind}> = {
${members(definition, '    ')}
${hooks}};
`;
}

function hookTypes({ kind, types: { request, external } }: KindModel): string {
  return `
/** The fields of requests for a ${kind}, by their names in the API. */
export type ${kind}Request = ${request};

/** A ${kind} as the API returns it. */
export type ${kind}External = ${external};
`;
}

function entryOf(model: KindModel): string {
  const { kind, scopes } = model;
  const types = scopes.length === 2 ? typesName(model) : `{ ${scopes[0]}: ${typesName(model)} }`;
  const references = hasReferences(model) ? `, references: ${lowerFirst(kind)}References` : '';
  const create = model.code === undefined ? '' : `, create: kindByHand(${lowerFirst(kind)}Kind)`;
  return `        { definition: ${lowerFirst(kind)}, types: ${types}${references}${create} },\n`;
}

/** The members of an object literal, one a line. */
export function members(object: object, indent: string): string {
  return Object.entries(object)
    .map(([key, value]) => `${indent}${keyText(key)}: ${literal(value, indent)},`)
    .join('\n');
}

const keyText = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
const LINE = 100;

function literal(value: unknown, indent: string): string {
  const short = inline(value);
  if (short.length + indent.length <= LINE || typeof value !== 'object' || value === null) return short;
  const inner = `${indent}    `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join('')}${indent}]`;
  return `{\n${members(value, inner)}\n${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${inline(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

export function authenticationOf(authentication: Authentication): RestAuthentication {
  if (typeof authentication === 'string') return { method: authentication };
  if ('headers' in authentication) return { method: 'headers', members: authentication.headers };
  return 'header' in authentication
    ? { method: 'api-key', in: 'header', name: authentication.header }
    : { method: 'api-key', in: 'query', name: authentication.query };
}
