import {
  type OutputFormat,
  plain,
  type Shown,
  type Style,
  type Tone,
} from '../../framework/module/console/shown.ts';
import type { Check, CheckStatus, Diagnosis } from '../../framework/module/diagnosis.ts';
import type { AllOf, FlagValues } from '../../framework/process/flag.ts';
import type { ConnectionFlags } from '../provider/connections/program-connections.ts';
import type { StartFlags } from '../provider/flags.ts';
import type { doctorGroups } from '../provider/modules.ts';

export interface DoctorFlags
  extends ConnectionFlags,
    Pick<StartFlags, 'controllers'>,
    FlagValues<AllOf<(typeof doctorGroups)[number]['flags']>> {
  readonly output: OutputFormat;
  readonly beforeUninstall?: boolean;
  readonly permissions?: boolean;
  /** All resources of a kind. */
  readonly all?: boolean;
  /** The rights of Crossplane are checked, which composes the kinds, instead of the provider's. */
  readonly composing?: boolean;
  /** User whose rights on the management cluster are checked. */
  readonly as?: string;
}

/** Exit codes of `provider-kyma doctor`, for scripts. */
export const doctorExitCodes = {
  /** No check failed. */
  healthy: 0,
  /** A check failed. */
  unhealthy: 1,
  /** Invalid arguments, or the cluster cannot be reached. */
  usage: 2,
} as const;

const marks: Readonly<Record<CheckStatus, string>> = {
  ok: 'ok',
  warning: 'warn',
  waiting: 'wait',
  failed: 'FAIL',
  skipped: '-',
};

const tones: Readonly<Record<CheckStatus, Tone>> = {
  ok: 'good',
  warning: 'notice',
  waiting: 'notice',
  failed: 'bad',
  skipped: 'faint',
};

/** One line per check; under a failed check the field at fault and the command that fixes it. */
export function formatDiagnosis(diagnosis: Shown<Diagnosis>, style: Style = plain): string {
  const rows = diagnosis.checks.map((check) => [
    marks[check.status],
    check.name,
    placeOf(check),
    check.detail,
  ]);
  const widths = [0, 1, 2].map((column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const lines = diagnosis.checks.flatMap((check, index) => {
    const cells = (rows[index] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const row = cells.map((cell, column) => (column === 0 ? style(tones[check.status], cell) : cell));
    const indent = ' '.repeat((widths[0] ?? 0) + 2);
    return [
      row.join('  ').trimEnd(),
      ...(check.status === 'ok' || check.field === undefined ? [] : [`${indent}field: ${check.field}`]),
      ...(check.status === 'ok' || check.remediation === undefined
        ? []
        : [`${indent}remediation: ${check.remediation}`]),
    ];
  });
  const missing = causeOf(diagnosis);
  const verdict =
    missing === undefined
      ? `${diagnosis.mapping}: every check succeeds`
      : `${diagnosis.mapping}: the first check that fails is ${missing.name}${missing.object === undefined ? '' : ` (${missing.object})`}`;
  return `${lines.join('\n')}\n\n${verdict}\n`;
}

/**
 * The first check that fails, before those that wait. Conditions only repeat what another check finds, if one does; so does the state of
 * a Runtime that waits.
 */
function causeOf({ checks }: Shown<Diagnosis>): Check | undefined {
  const first = (wanted: CheckStatus, ...repeating: readonly string[]) =>
    [...checks.filter(({ name }) => !repeating.includes(name)), ...checks].find(
      ({ status }) => status === wanted,
    );
  return first('failed', 'conditions') ?? first('waiting', 'conditions', 'state');
}

function placeOf(check: Check): string {
  const cluster = check.cluster === undefined ? '' : `[${check.cluster}]`;
  return [check.object, cluster].filter(Boolean).join(' ');
}
