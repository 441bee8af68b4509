import { expect, it } from '@jest/globals';
import { CpuMeter } from './cpu.js';

it('knows nothing at first, then how busy the time between two readings was', () => {
  const samples = [
    { atMs: 0, busy: 100, total: 1_000 },
    { atMs: 2_000, busy: 350, total: 2_000 },
    { atMs: 2_100, busy: 450, total: 2_100 },
    { atMs: 4_000, busy: 350, total: 2_000 },
  ];
  const meter = new CpuMeter(() => samples.shift()!);
  expect(meter.read()).toMatchObject({ usage_percent: null, sample_window_ms: null });
  expect(meter.read()).toMatchObject({ usage_percent: 25, sample_window_ms: 2_000 });
  expect(meter.read()).toMatchObject({ usage_percent: 25, sample_window_ms: 2_000 });
  expect(meter.read()).toMatchObject({ usage_percent: 0, sample_window_ms: 2_000 });
});
