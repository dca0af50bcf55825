import { expression } from './expressions.ts';
import { type Choice, table, value } from './generator.ts';

/** A chart as both engines get it. */
export interface GeneratedChart {
  readonly files: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

const HELPERS = `{{- define "h.one" -}}one={{ . }}{{- end -}}
{{ define "h.two" }}{{ with . }}two {{ . | toString | trunc 20 }}{{ else }}none{{ end }}{{ end }}`;

/** A part of a template. */
function block(choice: Choice, depth: number): string {
  const trim = () => (choice.chance(25) ? '-' : '');
  const action = (text: string) => `{{${trim()} ${text} ${trim()}}}`;
  switch (choice.below(depth > 0 ? 8 : 3)) {
    case 0:
    case 1:
    case 2:
      return `[${action(expression(choice, 'any', 3))}]\n`;
    case 3:
      return `${action(`if ${expression(choice, 'any', 2)}`)}${block(choice, depth - 1)}${action('else')}E${block(choice, depth - 1)}${action('end')}`;
    case 4:
      return `${action(`range $k, $v := ${expression(choice, choice.chance(50) ? 'list' : 'map', 2)}`)}<{{ $k }}={{ $v }}>${block(choice, depth - 1)}${action('end')}`;
    case 5:
      return `${action(`with ${expression(choice, 'any', 2)}`)}({{ . }})${action('end')}`;
    case 6:
      return `${action(`$y := ${expression(choice, 'any', 2)}`)}{{ $y }}${block(choice, depth - 1)}`;
    default:
      return `${action(`template "${choice.of(['h.one', 'h.two'])}" ${expression(choice, 'any', 1)}`)}${block(choice, depth - 1)}`;
  }
}

const VALUES = {
  name: 'web',
  list: [1, 'two', null, { k: 'v' }, 2.5],
  map: { name: 'inner', deep: { x: 1, y: [true, 'no'] }, z: null },
  other: { name: 'o', list: ['q'], deep: { y: 2 } },
  n: 1234567,
  f: 0.125,
  text: 'some text: with\nlines and a long tail that goes well beyond the eightieth column of a line, quite so',
};

const CHART = 'apiVersion: v2\nname: c\nversion: 1.2.3\nappVersion: "4.5"\n';

/** The output is within a block, so that it is a document whatever it is. */
export function generateTemplate(choice: Choice): GeneratedChart {
  const text = `{{- $x := ${expression(choice, 'any', 1)} -}}\n${block(choice, 2)}${block(choice, 1)}`;
  const document = `{{- define "body" }}${text}{{ end -}}\nx: {{ include "body" . | toJson }}\n`;
  return {
    files: { 'Chart.yaml': CHART, 'templates/_h.tpl': HELPERS, 'templates/t.yaml': document },
    values: VALUES,
  };
}

const KINDS = [
  'Deployment',
  'Service',
  'ConfigMap',
  'Namespace',
  'Widget',
  'Role',
  'Job',
  'CustomResourceDefinition',
  'Ingress',
] as const;

const HOOKS = [
  '',
  '',
  '',
  '',
  'metadata: {annotations: {"helm.sh/hook": pre-install}}\n',
  'metadata: {name: n, annotations: {a: b}}\n',
] as const;

function manifest(choice: Choice): string {
  const kind = choice.of(KINDS);
  const content = choice.of([
    'spec:\n{{ toYaml .Values | indent 2 }}\n',
    'data: {{ .Values.map | toJson }}\n',
    'name: {{ .Release.Name }}-{{ .Chart.Name }}\nglobal: {{ toJson .Values.global }}\n',
    '{{ range $k, $v := .Values }}{{ $k | quote }}: {{ $v | toJson }}\n{{ end }}',
    'path: {{ .Template.Name }} {{ .Template.BasePath }}\nroot: {{ .Chart.IsRoot }}\n',
    'chart: {{ toJson .Chart }}\n',
    'subcharts: {{ range $k, $v := .Subcharts }}{{ $k }} {{ end }}\n',
    'files: |\n{{ (.Files.Glob "conf/*").AsConfig | indent 2 }}\n',
  ]);
  return `apiVersion: v1\nkind: ${kind}\n${choice.of(HOOKS)}${content}`;
}

/** A chart with dependencies, of which some are off, aliased, or import values. */
export function generateChart(choice: Choice, depth = 2, name = 'parent'): GeneratedChart {
  const files: Record<string, string> = {};
  const dependencies: string[] = [];
  const children = depth > 0 ? choice.below(3) : 0;
  for (let i = 0; i < children; i++) {
    const child = `${name.slice(0, 1)}child${i}`;
    const generated = generateChart(choice, depth - 1, child);
    for (const [path, text] of Object.entries(generated.files)) files[`charts/${child}/${path}`] = text;
    if (choice.chance(85)) dependencies.push(...requirement(choice, child));
  }
  const type = choice.chance(10) && name !== 'parent' ? 'library' : 'application';
  const header = `apiVersion: ${choice.of(['v2', 'v2', 'v1'])}\nname: ${name}\nversion: ${choice.of(['1.0.0', '0.1.0-rc.1', '2.3.4'])}\ntype: ${type}\n`;
  files['Chart.yaml'] =
    `${header}${dependencies.length > 0 ? `dependencies:\n${dependencies.join('')}` : ''}`;
  const values: Record<string, unknown> = { ...table(choice, 3), exports: { data: table(choice, 2) } };
  if (choice.chance(50)) values.global = table(choice, 2);
  if (choice.chance(30)) values.tags = { front: choice.chance(50), back: choice.chance(50) };
  for (let i = 0; i < children; i++) {
    if (choice.chance(50))
      values[`${name.slice(0, 1)}child${i}`] = { ...table(choice, 2), enabled: choice.chance(60) };
  }
  files['values.yaml'] = JSON.stringify(values);
  files['templates/_h.tpl'] = HELPERS;
  files['conf/a.txt'] = 'one\ntwo: "x"\n';
  const count = 1 + choice.below(3);
  for (let i = 0; i < count; i++) {
    const documents = Array.from({ length: 1 + choice.below(3) }, () => manifest(choice));
    files[`templates/${choice.of(['a', 'b/c', 'Z', 'm-1'])}${i}.yaml`] = documents.join(
      choice.of(['---\n', '\n---\n\n', '--- # next\n']),
    );
  }
  if (choice.chance(15)) files['crds/x.yaml'] = 'kind: CustomResourceDefinition\nmetadata: {name: x}\n';
  if (choice.chance(10)) files['templates/NOTES.txt'] = 'Thanks, {{ .Release.Name }}';
  return { files, values: name === 'parent' ? userValues(choice, values) : {} };
}

function requirement(choice: Choice, child: string): string[] {
  const lines = [
    `- name: ${child}\n  version: "${choice.of(['*', '>=0.0.0-0', '1.x', '^2'])}"\n  repository: ""\n`,
  ];
  if (choice.chance(40))
    lines.push(
      `  condition: ${choice.of([`${child}.enabled`, `other.off,${child}.enabled`, 'global.on'])}\n`,
    );
  if (choice.chance(20)) lines.push(`  tags: [${choice.of(['front', 'back', 'front, back'])}]\n`);
  if (choice.chance(20)) lines.push(`  alias: ${child}alias\n`);
  if (choice.chance(20))
    lines.push(
      `  import-values: ${choice.of(['[data]', '[{child: map, parent: imported}]', '[{child: exports.data, parent: "."}]'])}\n`,
    );
  return [lines.join('')];
}

/** Values that partly replace, and partly remove those of the chart. */
function userValues(choice: Choice, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = table(choice, 2);
  for (const key of Object.keys(values)) {
    const fate = choice.below(100);
    if (fate < 15) own[key] = null;
    else if (fate < 30) own[key] = value(choice, 2);
  }
  if (choice.chance(30)) own.global = table(choice, 1);
  return own;
}
