import { ANSWER_FAULTS } from './answers.ts';
import { CAMPAIGN_FAULTS } from './campaigns.ts';
import type { Fault } from './fault.ts';
import { FOREIGN_OBJECT_FAULTS } from './foreign-objects.ts';
import { LIVE_RUN_FAULTS } from './live-run.ts';
import { SHARED_PART_FAULTS } from './shared-parts.ts';
import { TAINT_FAULTS } from './taint.ts';
import { TRIGGER_FAULTS } from './triggers.ts';

/** Three faults of each guard in each module that has its kind. */
export const FAULTS: readonly Fault[] = [
  ...FOREIGN_OBJECT_FAULTS,
  ...LIVE_RUN_FAULTS,
  ...TAINT_FAULTS,
  ...SHARED_PART_FAULTS,
  ...CAMPAIGN_FAULTS,
  ...TRIGGER_FAULTS,
  ...ANSWER_FAULTS,
];
