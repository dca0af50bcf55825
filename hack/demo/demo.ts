/**
 * The provider at work, for people who want to see it and for machines that want it proved: two real control planes,
 * a simulated HANA Cloud, the provider as users start it, and a story of steps, each asserted on HANA Cloud's own
 * store and on objects of the API. However it ends, everything is stopped and removed.
 */
import { once } from 'node:events';
import { constants } from 'node:os';
import { messageOf } from '../../internal/base/errors/errors.ts';
import type { Clock } from '../../internal/base/time/clock.ts';
import { type Context, createContext } from './context.ts';
import { makeDirectory, openLandscape } from './environment/environment.ts';
import { type Narrator, startNarrator } from './output/activity-log.ts';
import type { Screen } from './output/screen.ts';
import { overviewOf } from './overview.ts';
import type { ProviderCommand } from './provider/provider-command.ts';
import { lastWordsIn } from './provider/provider-process.ts';
import { Interrupted, ProviderGone } from './run/errors.ts';
import { createOutcomes } from './run/outcomes.ts';
import { createRunner, NotPossible, type Runner } from './run/runner.ts';
import { story } from './sections.ts';
import { farewellOf } from './usage-hints.ts';

export interface DemoOptions {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly command: ProviderCommand;
  /** End when all is shown, rather than stay for a look around. */
  readonly once: boolean;
  /** Aborted from outside with `Interrupted`, from inside with `ProviderGone`. */
  readonly ending: AbortController;
}

/** Lines of the provider's log that a failure shows. */
const LAST_WORDS = 8;

/** Returns the exit code: 0 if every step held, 1 if not, that of a signal where one came before the end. */
export async function demo({ screen, clock, command, ending, ...options }: DemoOptions): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const { signal } = ending;
  const { tell, show } = screen;
  const outcomes = createOutcomes();
  const directory = await makeDirectory(stack);
  let narrator: Narrator | undefined;
  const runner = createRunner({
    screen,
    outcomes,
    clock,
    signal,
    catchUp: async () => narrator?.catchUp(),
    lastWords: () => lastWordsIn(directory, LAST_WORDS),
  });
  try {
    screen.chapter('The landscape');
    const landscape = await openLandscape({ runner, tell, command, directory, stack, signal, clock });
    void landscape.provider.gone.then((how) => ending.abort(new ProviderGone(how)));
    narrator = startNarrator({ ...landscape, clock, tell });
    stack.defer(narrator.stop);
    await tellStory(screen, runner, createContext({ landscape, command, tell, show, clock, signal }));
    screen.chapter(outcomes.line());
    if (!options.once) await stay(screen, farewellOf(landscape, command), signal);
    return outcomes.allHeld() ? 0 : 1;
  } catch (error) {
    screen.chapter(`${outcomes.line()}; the rest was not run`);
    return exitCodeOf(error, screen);
  } finally {
    tell('stopping everything');
  }
}

async function tellStory(screen: Screen, runner: Runner, context: Context): Promise<void> {
  for (const { title, steps, overview } of story) {
    screen.chapter(title);
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

/** What has been shown already needs no second word. */
function exitCodeOf(error: unknown, screen: Screen): number {
  if (error instanceof Interrupted) {
    screen.tell(`interrupted by ${error.signal}`);
    return 128 + constants.signals[error.signal];
  }
  if (!(error instanceof NotPossible)) screen.tell(messageOf(error));
  return 1;
}
