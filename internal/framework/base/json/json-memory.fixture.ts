import { parentPort } from 'node:worker_threads';
import { measureHeap } from '../heap.fixture.ts';

/**
 * Answers each JSON document with the bytes of the heap that its value takes. A thread has a heap of its own, which is small: a collection
 * takes a hundredth of the time of one in the process of the tests.
 */
parentPort?.on('message', (text: string) => {
  parentPort?.postMessage(measureHeap<unknown>(() => JSON.parse(text)).bytes);
});
