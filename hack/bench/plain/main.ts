/** The plain program as a process of its own, controlled by the bench. */
import { readFile } from 'node:fs/promises';
import { answerQuestions } from '../measure/answer-questions.ts';
import { createPlainClient } from './plain-client.ts';
import { type KeepOptions, type PlainKeeper, startKeeper } from './plain-keeper.ts';
import { compareAll, type ManageOptions, startManager } from './plain-manager.ts';
import { mappingsPath } from './plain-mapper.ts';
import { type OperateOptions, startOperator } from './plain-operator.ts';

const [, , file] = process.argv;
if (file !== undefined) {
  // What start-up is compared with: one watch, by the shortest way.
  const endpoint = JSON.parse(await readFile(file, 'utf8'));
  await createPlainClient(endpoint, 1).watch(`${mappingsPath}?watch=true`, () => undefined);
} else {
  let keeper: PlainKeeper | undefined;
  answerQuestions({
    keep: (options: KeepOptions) => {
      keeper = startKeeper(options);
    },
    operate: (options: OperateOptions) => startOperator(options),
    manage: (options: ManageOptions) => startManager(options),
    compare: (options: ManageOptions) => compareAll(options),
    observations: () => keeper?.observations(),
    waiting: () => keeper?.waiting(),
  });
}
