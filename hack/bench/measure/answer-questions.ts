import { messageOf } from '../../../internal/base/errors/errors.ts';
import type { Question, Reply } from './measured-process.ts';

/** By the question's name; what is returned or resolved is the answer. */
export type Answers = Readonly<Record<string, (options: never) => unknown>>;

/** Lets the bench, whose child this process is, ask for work. Ends the process when the bench is gone. */
export function answerQuestions(answers: Answers): void {
  process.on('message', ({ id, question, options }: Question) => {
    // Others listen as well: what is not known here, the probe knows.
    const work = Object.hasOwn(answers, question) ? answers[question] : undefined;
    if (work === undefined) return;
    const send = (reply: Reply) => process.send?.(reply);
    Promise.resolve()
      .then(() => work(options as never))
      .then(
        (answer) => send({ id, answer }),
        (error: unknown) => send({ id, error: messageOf(error) }),
      );
  });
  process.on('disconnect', () => process.exit(0));
  // The probe lets a program end that only waits for questions; this one has nothing else to wait for.
  process.channel?.ref();
}
