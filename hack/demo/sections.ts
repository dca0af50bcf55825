import type { Step } from './step.ts';
import { appearance } from './steps/appearance.ts';
import { credentials } from './steps/credentials.ts';
import { deletion } from './steps/deletion.ts';
import { missingSource } from './steps/missing-source.ts';
import { operation } from './steps/operation.ts';
import { thirdParty } from './steps/third-party.ts';

export interface Section {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Whether the table of mappings is shown after it. */
  readonly overview?: true;
}

/** What the demo shows once the environment stands. Each step finds what those before it left. */
export const sections: readonly Section[] = [
  { title: 'Mappings appear', steps: appearance, overview: true },
  { title: 'A source goes and comes back', steps: missingSource },
  { title: 'Credentials and drift', steps: credentials },
  { title: 'The mapping goes, the resource goes', steps: [...thirdParty, ...deletion] },
  { title: 'In operation', steps: operation, overview: true },
];
