import type { Choice } from './generator.ts';

type Kind =
  | 'any'
  | 'text'
  | 'int'
  | 'list'
  | 'map'
  | 'number'
  | 'bool'
  | 'name'
  | 'pattern'
  | 'version'
  | 'constraint'
  | 'size'
  | 'document'
  | 'leaf'
  | 'template';

/** Functions with the kinds of their parameters; the result of the first column. Random ones and clocks are left out. */
const FUNCTIONS: readonly (readonly [Kind, string, ...Kind[]])[] = [
  ['text', 'abbrev', 'int', 'text'],
  ['text', 'abbrevboth', 'int', 'int', 'text'],
  ['text', 'trunc', 'int', 'text'],
  ['text', 'trim', 'text'],
  ['text', 'upper', 'text'],
  ['text', 'lower', 'text'],
  ['text', 'title', 'text'],
  ['text', 'untitle', 'text'],
  ['text', 'substr', 'size', 'size', 'text'],
  ['text', 'repeat', 'size', 'text'],
  ['text', 'trimAll', 'text', 'text'],
  ['text', 'trimSuffix', 'text', 'text'],
  ['text', 'trimPrefix', 'text', 'text'],
  ['text', 'nospace', 'text'],
  ['text', 'initials', 'text'],
  ['text', 'swapcase', 'text'],
  ['text', 'snakecase', 'text'],
  ['text', 'camelcase', 'text'],
  ['text', 'kebabcase', 'text'],
  ['text', 'wrap', 'size', 'text'],
  ['text', 'wrapWith', 'size', 'text', 'text'],
  ['any', 'contains', 'text', 'text'],
  ['any', 'hasPrefix', 'text', 'text'],
  ['any', 'hasSuffix', 'text', 'text'],
  ['text', 'quote', 'any'],
  ['text', 'squote', 'any', 'any'],
  ['text', 'cat', 'any', 'any'],
  ['text', 'indent', 'size', 'text'],
  ['text', 'nindent', 'size', 'text'],
  ['text', 'replace', 'text', 'text', 'text'],
  ['text', 'plural', 'text', 'text', 'int'],
  ['text', 'sha1sum', 'text'],
  ['text', 'sha256sum', 'text'],
  ['text', 'sha512sum', 'text'],
  ['text', 'adler32sum', 'text'],
  ['text', 'toString', 'any'],
  ['int', 'atoi', 'text'],
  ['number', 'int64', 'any'],
  ['int', 'int', 'any'],
  ['number', 'float64', 'any'],
  ['text', 'seq', 'int', 'int'],
  ['number', 'toDecimal', 'any'],
  ['map', 'split', 'text', 'text'],
  ['list', 'splitList', 'text', 'text'],
  ['map', 'splitn', 'text', 'int', 'text'],
  ['list', 'toStrings', 'any'],
  ['list', 'until', 'int'],
  ['list', 'untilStep', 'int', 'int', 'int'],
  ['number', 'add1', 'any'],
  ['number', 'add', 'any', 'any', 'any'],
  ['number', 'sub', 'any', 'any'],
  ['number', 'div', 'any', 'size'],
  ['number', 'mod', 'any', 'size'],
  ['number', 'mul', 'any', 'any'],
  ['number', 'add1f', 'number'],
  ['number', 'addf', 'number', 'number'],
  ['number', 'subf', 'number', 'number'],
  ['number', 'divf', 'number', 'size'],
  ['number', 'mulf', 'number', 'number'],
  ['number', 'max', 'any', 'any'],
  ['number', 'min', 'any', 'any'],
  ['number', 'maxf', 'any', 'any'],
  ['number', 'minf', 'any', 'any'],
  ['number', 'ceil', 'any'],
  ['number', 'floor', 'any'],
  ['number', 'round', 'any', 'int'],
  ['text', 'join', 'text', 'any'],
  ['list', 'sortAlpha', 'list'],
  ['any', 'default', 'any', 'any'],
  ['any', 'empty', 'any'],
  ['any', 'coalesce', 'any', 'any'],
  ['any', 'all', 'any', 'any'],
  ['any', 'any', 'any', 'any'],
  ['list', 'compact', 'list'],
  ['any', 'ternary', 'any', 'any', 'bool'],
  ['any', 'deepCopy', 'any'],
  ['text', 'typeOf', 'any'],
  ['text', 'kindOf', 'any'],
  ['any', 'kindIs', 'text', 'any'],
  ['any', 'deepEqual', 'any', 'any'],
  ['text', 'base', 'text'],
  ['text', 'dir', 'text'],
  ['text', 'clean', 'text'],
  ['text', 'ext', 'text'],
  ['text', 'b64enc', 'text'],
  ['text', 'b64dec', 'text'],
  ['text', 'b32enc', 'text'],
  ['list', 'list', 'any', 'any'],
  ['map', 'dict', 'text', 'any', 'text', 'any'],
  ['any', 'get', 'map', 'text'],
  // No map can get into itself, which Helm does not survive.
  ['map', 'set', 'map', 'text', 'text'],
  ['map', 'unset', 'map', 'text'],
  ['any', 'hasKey', 'map', 'text'],
  ['list', 'pluck', 'text', 'map', 'map'],
  ['map', 'pick', 'map', 'text'],
  ['map', 'omit', 'map', 'text'],
  ['map', 'merge', 'map', 'leaf'],
  ['map', 'mergeOverwrite', 'map', 'leaf'],
  ['list', 'append', 'list', 'any'],
  ['list', 'prepend', 'list', 'any'],
  ['any', 'first', 'list'],
  ['list', 'rest', 'list'],
  ['any', 'last', 'list'],
  ['list', 'initial', 'list'],
  ['list', 'reverse', 'list'],
  ['list', 'uniq', 'list'],
  ['list', 'without', 'list', 'any'],
  ['any', 'has', 'any', 'list'],
  ['list', 'slice', 'list', 'size', 'size'],
  ['list', 'concat', 'list', 'list'],
  ['any', 'dig', 'text', 'text', 'any', 'map'],
  ['any', 'dig', 'text', 'any', 'map'],
  ['list', 'chunk', 'size', 'list'],
  ['any', 'semverCompare', 'constraint', 'version'],
  ['any', 'regexMatch', 'pattern', 'text'],
  ['list', 'regexFindAll', 'pattern', 'text', 'int'],
  ['text', 'regexFind', 'pattern', 'text'],
  ['text', 'regexReplaceAll', 'pattern', 'text', 'text'],
  ['list', 'regexSplit', 'pattern', 'text', 'int'],
  ['text', 'regexQuoteMeta', 'text'],
  ['map', 'urlParse', 'text'],
  ['text', 'toYaml', 'any'],
  ['text', 'toYamlPretty', 'any'],
  ['map', 'fromYaml', 'document'],
  ['list', 'fromYamlArray', 'document'],
  ['text', 'toJson', 'any'],
  ['text', 'toPrettyJson', 'any'],
  ['text', 'toRawJson', 'any'],
  ['map', 'fromJson', 'document'],
  ['list', 'fromJsonArray', 'document'],
  ['text', 'toToml', 'map'],
  ['map', 'fromToml', 'document'],
  ['text', 'tpl', 'template', 'any'],
  ['text', 'include', 'name', 'any'],
  ['map', 'lookup', 'text', 'text', 'text', 'text'],
  ['number', 'durationSeconds', 'any'],
  ['any', 'durationRoundTo', 'any', 'any'],
  ['text', 'duration', 'any'],
  ['text', 'durationRound', 'any'],
  ['text', 'print', 'any', 'any'],
  ['text', 'printf', 'text', 'any'],
  ['any', 'len', 'any'],
  ['any', 'index', 'map', 'text'],
  ['bool', 'eq', 'text', 'text'],
  ['bool', 'ne', 'int', 'int'],
  ['bool', 'empty', 'any'],
  ['bool', 'hasKey', 'map', 'text'],
  ['bool', 'lt', 'int', 'int'],
  ['any', 'and', 'any', 'any'],
  ['any', 'or', 'any', 'any'],
  ['any', 'not', 'any'],
];

const TEXTS = [
  'a',
  'abc def',
  'Hello World',
  'HTTPServer2xOK',
  'foo_bar-baz',
  'some.host:8080/path?q=1#f',
  'a,b,,c',
  '1.2.3',
  '>=1.0.0 <2.0.0',
  '^1.2',
  '[a-z]+',
  '(a)(b)?',
  'a: 1\\nb: [x, 2]',
  '- 1\\n- y: no',
  '{\\"a\\": [1, null, \\"x\\"]}',
  '{{ .Values.name }}-{{ 1 }}',
  'x = 1\\n[t]\\ny = \\"z\\"',
  'h.one',
  'h.two',
  '%d-%s-%v',
  '%5.2f|%q|%T',
  '1h30m',
  '3.7',
  '-12',
  '0x1f',
  'é😀ß',
  ' padded  text ',
  'name',
  'map',
  'list',
  '',
  'true',
  'string',
  'multi\\nline\\n',
] as const;

const FIELDS = [
  '.Values',
  '.Values.name',
  '.Values.list',
  '.Values.map',
  '.Values.map.name',
  '.Values.missing',
  '.Values.n',
  '.Values.f',
  '.Release.Name',
  '.Chart.Version',
  '$x',
  '.Values.text',
] as const;

const literal = (choice: Choice, kind: Kind): string => {
  switch (kind) {
    case 'text':
      return choice.chance(75)
        ? `"${choice.of(TEXTS)}"`
        : choice.of(['.Values.text', '.Values.name', '.Release.Name']);
    case 'leaf':
      return choice.of(['(dict "a" 1 "b" (dict "c" "d"))', '(dict)', '(dict "name" "n" "list" (list 1))']);
    case 'bool':
      return choice.of(['true', 'false', '.Release.IsInstall']);
    case 'name':
      return choice.of(['"h.one"', '"h.two"', '"h.one"', '"h.none"']);
    case 'pattern':
      return choice.of([
        '"[a-z]+"',
        '"(a)(b)?"',
        '"."',
        '"^.*$"',
        '"x*"',
        '"(?i)[A-Z]{2,}"',
        '"[^\\\\w]"',
        '"("',
        '","',
        '"(?P<n>o)"',
      ]);
    case 'version':
      return choice.of([
        '"1.2.3"',
        '"v2.0"',
        '"1.2.3-rc.1+x"',
        '.Chart.Version',
        '.Capabilities.KubeVersion.Version',
        '"x"',
      ]);
    case 'constraint':
      return choice.of([
        '"^1.2"',
        '">=1.0.0 <2.0.0"',
        '"~1.2.0-0"',
        '"1.x || >=2"',
        '"*"',
        '"!=1.2.3"',
        '"1.2 - 1.4"',
        '">=1.19-0"',
      ]);
    case 'size':
      return String(choice.below(6) + (choice.chance(90) ? 1 : -1));
    case 'document':
      return choice.of([
        '"a: 1\\nb: [x, 2]"',
        '"- 1\\n- y: no"',
        '"{\\"a\\": [1, null, \\"x\\"]}"',
        '"x = 1\\n[t]\\ny = \\"z\\""',
        '(toYaml .Values.map)',
        '(toJson .Values)',
        '(toToml .Values.other)',
        '"a: &x {b: 1}\\nc: *x\\nd:\\n  <<: *x\\n  e: |\\n    text\\n     more\\n"',
        '"k: >-\\n  folded\\n  text\\n\\n  next\\nn: 0x1F\\nf: 1e3\\no: 0o7\\nt: 2001-01-01\\n"',
        '"? complex\\n: value\\n? [a]\\n: b"',
        '"\'quoted\': \\"d\\\\tq\\"\\n..."',
        '"a: b: c"',
        '"d = 1979-05-27T07:32:00Z\\na.b.c = [1, 2]\\n[[l]]\\nx=1\\n[[l]]\\nx=0x1f"',
        literal(choice, 'text'),
      ]);
    case 'template':
      return choice.of([
        '"{{ .Values.name }}-{{ 1 }}"',
        '"{{ define \\"h.own\\" }}own{{ end }}{{ include \\"h.own\\" . }}"',
        '"{{ range .Values.list }}{{ . }},{{ end }}"',
        '"plain"',
        '"{{ . | toYaml }}"',
        '"{{"',
        '"{{ tpl \\"{{ 2 }}\\" . }}"',
      ]);
    case 'int':
      return String(choice.below(14) - 3);
    case 'number':
      return choice.of(['1', '2.5', '-0.75', '.Values.f', '.Values.n', '1000000', '1e3', '"4.5"']);
    case 'list':
      return choice.of([
        '.Values.list',
        '(list 1 "a" nil 2.5)',
        '(list "b" "a" "b")',
        '(until 4)',
        '(list)',
        '(splitList "," "x,y,x")',
      ]);
    case 'map':
      return choice.of([
        '.Values.map',
        '.Values',
        '(dict "a" 1 "b" (dict "c" "d"))',
        '(dict)',
        '.Values.other',
      ]);
    default:
      return choice.chance(50)
        ? choice.of(FIELDS)
        : literal(choice, choice.of(['text', 'int', 'number', 'list', 'map'] as const));
  }
};

/** An expression that mostly gives a value of a kind. */
export function expression(choice: Choice, kind: Kind, depth: number): string {
  if (depth === 0 || kind === 'leaf' || choice.chance(30))
    return literal(choice, choice.chance(4) ? 'any' : kind);
  const fitting = FUNCTIONS.filter(([result]) => kind === 'any' || result === kind);
  const [first] = FUNCTIONS;
  const [, name, ...parameters] =
    fitting[choice.below(fitting.length)] ?? first ?? (['text', 'print'] as const);
  const args = parameters.map((parameter) => expression(choice, parameter, depth - 1));
  const last = args.at(-1);
  if (last !== undefined && choice.chance(25)) return `(${last} | ${[name, ...args.slice(0, -1)].join(' ')})`;
  return `(${[name, ...args].join(' ')})`;
}
