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

/** Functions by the kinds of their parameters; the first column is that of the result. Random ones and clocks are left out. */
const FUNCTIONS: readonly (readonly [Kind, string, ...Kind[]])[] = (
  [
    ['text', 'abbrev trunc', 'int', 'text'],
    ['text', 'abbrevboth', 'int', 'int', 'text'],
    [
      'text',
      'trim upper lower title untitle nospace initials swapcase snakecase camelcase kebabcase sha1sum sha256sum sha512sum adler32sum base dir clean ext b64enc b64dec b32enc regexQuoteMeta',
      'text',
    ],
    ['text', 'substr', 'size', 'size', 'text'],
    ['text', 'repeat wrap indent nindent', 'size', 'text'],
    ['text', 'trimAll trimSuffix trimPrefix', 'text', 'text'],
    ['text', 'wrapWith', 'size', 'text', 'text'],
    ['any', 'contains hasPrefix hasSuffix', 'text', 'text'],
    [
      'text',
      'quote toString typeOf kindOf toYaml toYamlPretty toJson toPrettyJson toRawJson duration durationRound',
      'any',
    ],
    ['text', 'squote cat print', 'any', 'any'],
    ['text', 'replace', 'text', 'text', 'text'],
    ['text', 'plural', 'text', 'text', 'int'],
    ['int', 'atoi', 'text'],
    ['number', 'int64 float64 toDecimal add1 ceil floor durationSeconds', 'any'],
    ['int', 'int', 'any'],
    ['text', 'seq', 'int', 'int'],
    ['map', 'split', 'text', 'text'],
    ['list', 'splitList', 'text', 'text'],
    ['map', 'splitn', 'text', 'int', 'text'],
    ['list', 'toStrings', 'any'],
    ['list', 'until', 'int'],
    ['list', 'untilStep', 'int', 'int', 'int'],
    ['number', 'add', 'any', 'any', 'any'],
    ['number', 'sub mul max min maxf minf', 'any', 'any'],
    ['number', 'div mod', 'any', 'size'],
    ['number', 'add1f', 'number'],
    ['number', 'addf subf mulf', 'number', 'number'],
    ['number', 'divf', 'number', 'size'],
    ['number', 'round', 'any', 'int'],
    ['text', 'join printf', 'text', 'any'],
    ['list', 'sortAlpha compact rest initial reverse uniq', 'list'],
    ['any', 'default coalesce all any deepEqual durationRoundTo and or', 'any', 'any'],
    ['any', 'empty deepCopy len not', 'any'],
    ['any', 'ternary', 'any', 'any', 'bool'],
    ['any', 'kindIs', 'text', 'any'],
    ['list', 'list', 'any', 'any'],
    ['map', 'dict', 'text', 'any', 'text', 'any'],
    ['any', 'get hasKey index', 'map', 'text'],
    // No map can get into itself, which Helm does not survive.
    ['map', 'set', 'map', 'text', 'text'],
    ['map', 'unset pick omit', 'map', 'text'],
    ['list', 'pluck', 'text', 'map', 'map'],
    ['map', 'merge mergeOverwrite', 'map', 'leaf'],
    ['list', 'append prepend without', 'list', 'any'],
    ['any', 'first last', 'list'],
    ['any', 'has', 'any', 'list'],
    ['list', 'slice', 'list', 'size', 'size'],
    ['list', 'concat', 'list', 'list'],
    ['any', 'dig', 'text', 'text', 'any', 'map'],
    ['any', 'dig', 'text', 'any', 'map'],
    ['list', 'chunk', 'size', 'list'],
    ['any', 'semverCompare', 'constraint', 'version'],
    ['any', 'regexMatch', 'pattern', 'text'],
    ['list', 'regexFindAll regexSplit', 'pattern', 'text', 'int'],
    ['text', 'regexFind', 'pattern', 'text'],
    ['text', 'regexReplaceAll', 'pattern', 'text', 'text'],
    ['map', 'urlParse', 'text'],
    ['map', 'fromYaml fromJson fromToml', 'document'],
    ['list', 'fromYamlArray fromJsonArray', 'document'],
    ['text', 'toToml', 'map'],
    ['text', 'tpl', 'template', 'any'],
    ['text', 'include', 'name', 'any'],
    ['map', 'lookup', 'text', 'text', 'text', 'text'],
    ['bool', 'eq', 'text', 'text'],
    ['bool', 'ne lt', 'int', 'int'],
    ['bool', 'empty', 'any'],
    ['bool', 'hasKey', 'map', 'text'],
  ] as const
).flatMap(([result, names, ...parameters]) =>
  names.split(' ').map((name): readonly [Kind, string, ...Kind[]] => [result, name, ...parameters]),
);

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
