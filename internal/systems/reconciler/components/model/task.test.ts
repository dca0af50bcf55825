import { expect, test } from '@jest/globals';
import type { components } from '../../../../../apis/reconciler/component.openapi.gen.ts';
import { testTask } from '../runner/fake-parts.fixture.ts';
import type { Task } from './task.ts';

type Documented = components['schemas']['Task'];

test('a task is what the API has', () => {
  // The compiler checks both directions.
  const documented: Documented = testTask();
  const own: Task = documented;
  expect(own).toEqual(testTask());
});
