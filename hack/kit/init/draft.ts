/** The draft of `provider.yaml`: every collection of the document, with its verdict; the chosen ones are kinds, the others comments. */
import { stringify } from 'yaml';
import type { OpenapiDocument } from '../document/openapi-document.ts';
import type { KindSettings } from '../format/provider-file.ts';
import type { Candidate } from './candidates.ts';

export interface DraftOptions {
  readonly name: string;
  readonly group: string;
  /** Name of the recorded document. */
  readonly file: string;
  readonly sha256: string;
  readonly document: OpenapiDocument;
  readonly candidates: readonly Candidate[];
  /** Parameters of paths that have one value. Default: none. */
  readonly path?: Readonly<Record<string, string>>;
  /** Kinds that are no comments. */
  readonly chosen: readonly string[];
}

export function draftText(options: DraftOptions): string {
  const { name, group, file, sha256, document, path = {}, candidates, chosen } = options;
  const api = {
    ...(document.url === undefined ? {} : { url: document.url }),
    ...(document.authentication === undefined ? {} : { authentication: document.authentication }),
    ...(Object.keys(path).length === 0 ? {} : { path }),
  };
  const head = stringify({
    name,
    group,
    openapi: { file, sha256 },
    ...(Object.keys(api).length === 0 ? {} : { api }),
  });
  const authentication = document.authentication === undefined ? AUTHENTICATION : '';
  const server =
    document.exampleUrl === undefined
      ? ''
      : `# The server of the document is of no user: ${oneLine(document.exampleUrl)}. State api.url, if all users have the same; else each states spec.url
# of the ProviderConfig, with the path that the server has.
`;
  const sorted = [...candidates].sort(
    (a, b) => Number(chosen.includes(b.kind)) - Number(chosen.includes(a.kind)),
  );
  const blocks = sorted.map((candidate) => blockOf(candidate, chosen));
  return `# yaml-language-server: $schema=node_modules/provider-kyma/dist/lib/hack/kit/provider.schema.json
# The kinds of this provider. Each collection of the document has a verdict below; uncomment those that you want, then run
# \`npx provider-kyma-kit generate\`. What the document does not say, e.g. references and connection details, is stated here.
${head}${authentication}${server}kinds:
${blocks.join('\n')}`;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 200);

const AUTHENTICATION = `# The document does not say how requests are authenticated: authentication of api is bearer, basic, client-credentials,
# { header: NAME }, { query: NAME } or { headers: { NAME: KEY, NAME: KEY } }.
`;

function blockOf(
  { path, kind, settings, verdict, reasons, fields }: Candidate,
  chosen: readonly string[],
): string {
  const summary = verdict === 'no kind' ? reasons.join('; ') : `${fields} fields`;
  const lines = [`${path}: ${verdict}${summary === '' ? '' : ` (${summary})`}`];
  if (verdict === 'needs') lines.push(...reasons.map((reason) => `- ${reason}`));
  const title = lines.map((line) => `  # ${line}\n`).join('');
  if (settings === undefined) return title;
  const isChosen = chosen.includes(kind);
  const known = isChosen ? withoutReferences(settings, chosen) : settings;
  const text = stringify({ [kind]: shortForm(known) }, { lineWidth: 0 });
  const mark = isChosen ? '  ' : '  # ';
  return `${title}${text
    .trimEnd()
    .split('\n')
    .map((line) => `${mark}${line}\n`)
    .join('')}`;
}

/** References to kinds that are comments would be mistakes. */
function withoutReferences(settings: KindSettings, chosen: readonly string[]): KindSettings {
  const fields = Object.entries(settings.fields).flatMap(([name, { reference, ...field }]) => {
    const kept = reference === undefined || chosen.includes(reference.kind);
    const rest = kept && reference !== undefined ? { ...field, reference } : field;
    return Object.keys(rest).length === 0 ? [] : [[name, rest] as const];
  });
  return { ...settings, fields: Object.fromEntries(fields) };
}

/** As an author writes it. */
function shortForm({
  create,
  read,
  update,
  id,
  required,
  omit,
  fields,
  connection,
  ...rest
}: KindSettings): object {
  const { plural, delete: last, ...others } = rest;
  const alone = <T extends { readonly operation: string }>(value: T) =>
    Object.keys(value).length === 1 ? value.operation : value;
  const { '': only } = id;
  return {
    ...(plural === undefined ? {} : { plural }),
    create: alone(create),
    read: 'operation' in read ? alone(read) : read,
    ...(update === undefined ? {} : { update: alone(update) }),
    delete: alone(last),
    ...(only === undefined ? (Object.keys(id).length === 0 ? {} : { id }) : { id: only }),
    ...(required.length === 0 ? {} : { required }),
    ...(omit.length === 0 ? {} : { omit }),
    ...(Object.keys(fields).length === 0
      ? {}
      : {
          fields: Object.fromEntries(
            Object.entries(fields).map(([name, { reference, ...field }]) => [
              name,
              {
                ...field,
                ...(reference === undefined
                  ? {}
                  : { reference: reference.value === undefined ? reference.kind : reference }),
              },
            ]),
          ),
        }),
    ...(Object.keys(connection).length === 0
      ? {}
      : {
          connection: Object.fromEntries(
            Object.entries(connection).map(([key, { from, field }]) => [key, `${from}.${field}`]),
          ),
        }),
    ...others,
  };
}
