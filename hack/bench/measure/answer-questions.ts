import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import type { Question, Reply } from './measured-process.ts';

/** By the name of the question; the returned or resolved value is the reply. */
export type Answers = Readonly<Record<string, (options: never) => unknown>>;

/** Lets the bench, the parent process, request work. Exits when the bench is gone. */
export function answerQuestions(answers: Answers): void {
  process.on('message', ({ id, question, options }: Question) => {
    // Other listeners exist: questions that are unknown here go to the probe.
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
  // The probe does not keep the process alive; this program has nothing else to wait for.
  process.channel?.ref();
}
