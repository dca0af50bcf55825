import { expect, test } from '@jest/globals';
import { isImageFrom } from './warden.ts';

test.each([
  ['admission:0.10.0', true],
  ['registry.example.com/warden/admission:0.10.1', true],
  ['registry.example.com:5000/warden/admission:1.0.0', true],
  ['admission:0.10.0+build', true],
  ['admission:0.10.0@sha256:0123', true],
  ['admission:0.10.1-rc1', true],
  ['admission:0.10.0-rc1', false],
  ['admission:0.9.99', false],
  ['admission:v0.10.0', false],
  ['admission:main', false],
  ['registry.example.com:5000/admission', false],
  ['admission', false],
  ['', false],
])('the image %p is from 0.10.0 on: %p', (image, expected) => {
  expect(isImageFrom(image, [0, 10, 0])).toBe(expected);
});
