/**
 * Renders templates and charts that are made at random here and with Helm's own engine, and compares.
 *
 *     cd hack/gotemplate/helm && go build -o ../../../dist/helm-engine . && cd -
 *     node hack/gotemplate/differential/main.ts dist/helm-engine --templates 1000 --charts 100 [--seed 1] [--tolerated 0]
 *
 * The exit code is 1 if more percent differ than are tolerated: some texts of errors, and the order of charts that Helm leaves to chance
 * (internal/templates/helm/README.md). What differs is printed with its seed.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { cutText } from '../../../internal/framework/base/index.ts';
import { manifestText, renderChart } from '../../../internal/templates/helm/index.ts';
import { Choice } from './generator.ts';
import { type GeneratedChart, generateChart, generateTemplate } from './templates.ts';

interface Answer {
  readonly output?: string;
  readonly error?: string;
}

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    templates: { type: 'string', default: '1000' },
    charts: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
    tolerated: { type: 'string', default: '0' },
  },
});
const [program] = positionals;
if (program === undefined) throw new Error('which program? see the head of this file');
const startEngine = (path: string) => {
  const child = spawn(path, { stdio: ['pipe', 'pipe', 'ignore'] });
  return { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
};
let engine = startEngine(program);

async function askHelm(chart: GeneratedChart): Promise<Answer> {
  engine.child.stdin.write(`${JSON.stringify(chart)}\n`);
  const { value, done } = await engine.answers.next();
  if (done !== true) return JSON.parse(String(value)) as Answer;
  // A map that contains itself exhausts the stack of Go, which ends the program.
  engine = startEngine(program ?? '');
  return { error: 'the engine of Helm ended' };
}

function renderHere({ files, values }: GeneratedChart): Answer {
  try {
    const list = Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) }));
    const release = { name: 'rel', namespace: 'default' };
    return { output: manifestText(renderChart({ files: list, values, release })) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Where an error was: the first file with a line. */
const placeOf = ({ error = '' }: Answer): string | undefined => /[\w/.-]+:\d+(?::\d+)?/.exec(error)?.[0];

const NONE = { same: 0, refused: 0, refusedElsewhere: 0, limited: 0, differs: 0 };
const counts = { ...NONE };
/** Of an answer, in characters. */
const MAX_SHOWN = 2000;
const shortOf = (answer: Answer): string => cutText(JSON.stringify(answer), MAX_SHOWN);
let shown = 0;

async function compare(what: string, seed: number, chart: GeneratedChart): Promise<void> {
  const helm = await askHelm(chart);
  const own = renderHere(chart);
  if (helm.error !== undefined && own.error !== undefined) {
    if (placeOf(helm) === placeOf(own)) counts.refused++;
    else {
      counts.refusedElsewhere++;
      if (shown++ < Number(flags.show)) {
        process.stdout.write(
          `${what} ${seed} is refused elsewhere\nhelm: ${helm.error}\nhere: ${own.error}\n\n`,
        );
      }
    }
  } else if (helm.output === own.output) counts.same++;
  else if (helm.output !== undefined && own.error?.includes('the output is longer than ')) counts.limited++;
  else {
    counts.differs++;
    if (shown++ >= Number(flags.show)) return;
    const text = chart.files['templates/t.yaml'] ?? '';
    process.stdout.write(
      `${what} ${seed} differs\n${text}\nhelm: ${shortOf(helm)}\nhere: ${shortOf(own)}\n\n`,
    );
  }
}

const first = Number(flags.seed);
for (let i = 0; i < Number(flags.templates); i++) {
  await compare('template', first + i, generateTemplate(new Choice(first + i)));
}
const templates = { ...counts };
Object.assign(counts, NONE);
for (let i = 0; i < Number(flags.charts); i++) {
  await compare('chart', first + i, generateChart(new Choice(first + i)));
}
engine.child.stdin.end();
process.stdout.write(`${JSON.stringify({ templates, charts: counts })}\n`);
const all = [templates, counts].flatMap((each) => Object.values(each)).reduce((sum, count) => sum + count, 0);
const percent = (100 * (templates.differs + counts.differs)) / Math.max(all, 1);
if (percent > Number(flags.tolerated)) process.exitCode = 1;
