/** Values of the options of simulators. */

export function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${text} is no port`);
  return port;
}

export function millisecondsOf(text: string): number {
  const [, number, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit];
  if (number === undefined || factor === undefined)
    throw new Error(`${text} is no span of time, such as 20ms or 1h`);
  return Number(number) * factor;
}

/** Runs a simulator's command; exits with 2 if it cannot start. */
export async function runCommand(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
