import { ProviderError } from '../../../../framework/base/index.ts';

import type { Rollout } from '../../client/mothership-client.ts';
import { age, type Columns, type ListFormat } from './output.ts';
import { type CommandRun, printList } from './run-command.ts';

export interface RolloutListFlags {
  readonly output: ListFormat;
  readonly all?: boolean;
  readonly watch?: boolean;
}

export const listRollouts = (flags: RolloutListFlags, run: CommandRun): Promise<void> =>
  printList(
    {
      format: flags.output,
      watch: flags.watch ?? false,
      keyOf: ({ id }) => id,
      columnsAt: rolloutColumns,
      read: async (signal) => {
        const rollouts = await run.client.listRollouts(signal);
        return flags.all ? rollouts : rollouts.filter(({ paused }) => paused);
      },
    },
    run,
  );

/** @param name the version or component, or the id, of a paused rollout */
export async function resumeRollout(name: string, { client, output, signal }: CommandRun): Promise<void> {
  const rollouts = await client.listRollouts(signal);
  const paused = rollouts.filter((each) => each.paused && (each.name === name || each.id === name));
  const [rollout, ...others] = paused;
  if (rollout === undefined) {
    const names = rollouts.filter((each) => each.paused).map((each) => each.name);
    const known = names.length === 0 ? 'none is paused' : `paused are ${names.join(', ')}`;
    throw new ProviderError('not-found', `cannot resume the rollout ${name}: ${known}`);
  }
  if (others.length > 0) {
    const ids = paused.map(({ kind, id }) => `${id} (${kind})`).join(', ');
    throw new ProviderError('terminal', `cannot resume the rollout ${name}: give the id of one of ${ids}`);
  }
  output.info(resumedText(await client.resumeRollout(rollout.id, signal), rollout.heldClusters));
}

const resumedText = ({ kind, name, resumedBy }: Rollout, held: number): string =>
  `the rollout of ${kind} ${name} is resumed by ${resumedBy ?? 'an unknown user'}; ${held} clusters waited for it`;

const rolloutColumns = (nowMs: number): Columns<Rollout> => ({
  headings: ['KIND', 'NAME', 'STATE', 'SINCE', 'FAILED', 'HELD', 'RESUMED BY'],
  wideHeadings: ['ID', 'REASON', 'PAUSED', 'RESUMED'],
  cells: ({ kind, name, paused, pausedAt, resumedAt, failedClusters, clusters, heldClusters, ...wide }) => [
    kind,
    name,
    paused ? 'paused' : 'resumed',
    age(paused ? pausedAt : resumedAt, nowMs),
    `${failedClusters}/${clusters}`,
    heldClusters,
    wide.resumedBy,
    wide.id,
    wide.reason,
    pausedAt,
    resumedAt,
  ],
});
