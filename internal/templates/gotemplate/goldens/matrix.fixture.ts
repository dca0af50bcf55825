/** Calls of each function with values of each type, and what Go makes of them: written by `npm run matrix`, never by hand. */

/** Values by the expressions that make them. */
const VALUES: Readonly<Record<string, string>> = {
  empty: '""',
  text: '"abc"',
  digits: '"12"',
  accents: '"é b"',
  bytes: '(b64dec "/w==")',
  zero: '0',
  int: '-3',
  int64: '(int64 5)',
  float: '1.5',
  true: 'true',
  nil: '(get (dict "a" nil) "a")',
  list: '(list 1 "a")',
  noItems: 'list',
  texts: '(splitList "," "x,y")',
  map: '(dict "a" 1)',
  noEntries: 'dict',
  time: '(toDate "2006-01-02" "2020-01-02")',
  version: '(semver "1.2.3")',
};

/** Arguments of a call; `$v` is the value, and given once: a list that is its own item has no end. */
const SHAPES: readonly string[] = ['$v', '"a" $v', '$v "a"', '1 $v', '$v 1', '"a" "b" $v'];

/** Their results are not the same each time, or depend on the time of day. */
const UNSTABLE =
  /^(?:rand|gen|uuid|shuffle|bcrypt|htpasswd|encryptAES|buildCustomCert|now|ago|date|htmlDate|duration$|derivePassword|keys$)/;

export const isStable = (name: string): boolean => !UNSTABLE.test(name);

export interface MatrixCase {
  readonly shape: string;
  readonly value: string;
  readonly template: string;
}

/** All calls of a function. They print type and value, in base64, so that the output is always one of YAML. */
export const casesOf = (name: string): MatrixCase[] =>
  SHAPES.flatMap((shape) =>
    Object.entries(VALUES).map(([value, expression]) => ({
      shape,
      value,
      template: `{{ $v := ${expression} }}{{ $r := ${name} ${shape} }}x: {{ printf "%T %v" $r $r | b64enc }}`,
    })),
  );

/** The results of a function: for each call, the values that give the result. */
export type FunctionResults = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @param run gives the output of a template, or its error */
export function resultsOf(
  name: string,
  run: (template: string) => { readonly output: string } | { readonly error: string },
): FunctionResults {
  const results: Record<string, Record<string, string>> = {};
  for (const { shape, value, template } of casesOf(name)) {
    const result = shown(run(template));
    const ofShape = results[shape] ?? {};
    results[shape] = ofShape;
    ofShape[result] = ofShape[result] === undefined ? value : `${ofShape[result]} ${value}`;
  }
  return results;
}

function shown(result: { readonly output: string } | { readonly error: string }): string {
  if ('error' in result) return `! ${withoutPlace(result.error.toWellFormed())}`;
  const encoded = /x: (\S*)/.exec(result.output)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('latin1');
}

/** What follows the last `at <…>: `. */
function afterPlace(error: string): string {
  const end = error.indexOf('>: ', error.lastIndexOf('at <'));
  return error.includes('at <') && end >= 0 ? error.slice(end + '>: '.length) : error;
}

/** Helm breaks its messages into lines, and shows those of `fail` and `required` alone. */
const withoutPlace = (error: string): string =>
  afterPlace(
    error
      .split('\n')
      .map((line) => line.trim())
      .join(' '),
  )
    .replace(/^execution error at \([^)]*\): /, '')
    .replace(/^error calling \w+: HELM_ERR_START(.*)HELM_ERR_END$/, '$1');

/** The calls whose results are not the recorded ones: `toYaml $v nil`. */
export function differences(
  own: Readonly<Record<string, FunctionResults>>,
  recorded: Readonly<Record<string, FunctionResults>>,
): string[] {
  const calls = (results: Readonly<Record<string, FunctionResults>>) =>
    new Map(
      Object.entries(results).flatMap(([name, ofShapes]) =>
        Object.entries(ofShapes).flatMap(([shape, ofResults]) =>
          Object.entries(ofResults).flatMap(([result, values]) =>
            values.split(' ').map((value) => [`${name} ${shape} ${value}`, result] as const),
          ),
        ),
      ),
    );
  const [ours, theirs] = [calls(own), calls(recorded)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter(
    (call) => ours.get(call) !== theirs.get(call),
  );
}
