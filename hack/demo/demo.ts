/**
 * The provider at work, as a demonstration and as a test: two real control planes, simulated systems of SAP, the provider
 * as users start it, and steps in sections, each asserted on the simulators' own stores and on objects of the API. In every
 * case everything is stopped and removed at the end.
 */
import { once } from 'node:events';
import { constants } from 'node:os';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import type { Clock } from '../../internal/framework/base/time/clock.ts';
import { type Context, createContext } from './context.ts';
import { makeDirectory, openDemoEnvironment } from './environment/environment.ts';
import { type ActivityLog, startActivityLog } from './output/activity-log.ts';
import type { Screen } from './output/screen.ts';
import { overviewOf, usageHints } from './overview.ts';
import { lastLinesIn } from './provider/provider-process.ts';
import { createRunner, Interrupted, NotPossible, ProviderGone, type Runner } from './run/runner.ts';
import { sections } from './steps.ts';

export interface DemoOptions {
  readonly screen: Screen;
  readonly clock: Clock;
  /** Exit after the last step instead of keeping the environment. */
  readonly once: boolean;
  /** Aborted from outside with `Interrupted`, from inside with `ProviderGone`. */
  readonly abortController: AbortController;
}

/** Lines of the provider's log that a failure shows. */
const LAST_WORDS = 8;

/** Returns the exit code: 0 if every step held, 1 if not, that of a signal where one came before the end. */
export async function demo({ screen, clock, abortController, ...options }: DemoOptions): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { signal } = abortController;
  const { print, show } = screen;
  const directory = await makeDirectory(stack);
  let activityLog: ActivityLog | undefined;
  const runner = createRunner({
    screen,
    clock,
    signal,
    catchUp: async () => activityLog?.catchUp(),
    lastLines: () => lastLinesIn(directory, LAST_WORDS),
  });
  try {
    screen.section('The environment');
    const common = { print, signal, clock };
    const environment = await openDemoEnvironment({ ...common, runner, directory, stack });
    void environment.provider.gone.then((how) => abortController.abort(new ProviderGone(how)));
    activityLog = startActivityLog({ ...environment, clock, print });
    stack.defer(activityLog.stop);
    await runSections(screen, runner, createContext({ ...common, environment, show }));
    screen.section(runner.outcome());
    if (!options.once) await stay(screen, usageHints(environment), signal);
    return runner.allHeld() ? 0 : 1;
  } catch (error) {
    screen.section(`${runner.outcome()}; the rest was not run`);
    return exitCodeOf(error, screen);
  } finally {
    print('stopping everything');
  }
}

async function runSections(screen: Screen, runner: Runner, context: Context): Promise<void> {
  for (const { title, steps, overview } of sections) {
    screen.section(title);
    for (const step of steps) await runner.step(step.title, () => step.run(context));
    if (overview) screen.show(await overviewOf(context));
  }
}

/** Until the user has seen enough. Rejects where something else ends it. */
async function stay(screen: Screen, farewell: string, signal: AbortSignal): Promise<void> {
  screen.show(farewell);
  if (!signal.aborted) await once(signal, 'abort');
  if (!(signal.reason instanceof Interrupted)) throw signal.reason;
}

/** The failed step is on the screen already. */
function exitCodeOf(error: unknown, screen: Screen): number {
  if (error instanceof Interrupted) {
    screen.print(`interrupted by ${error.signal}`);
    return 128 + constants.signals[error.signal];
  }
  if (!(error instanceof NotPossible)) screen.print(messageOf(error));
  return 1;
}
