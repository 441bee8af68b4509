import { unsupportedSettings } from '../unsupported-settings.js';
import { result, type PreflightCheck } from './check.js';

const NAME = 'Settings';

/** Whether the server does all that the configuration files ask for. */
export const settings: PreflightCheck = ({ settings, hooksReach }) => {
  const reasons = unsupportedSettings(settings, { hooksReach });
  if (reasons.length === 0) return result(NAME, 'pass', 'All settings are in force.');
  return result(NAME, 'error', 'The settings ask for more than this server does.', {
    reasons,
    remediation: 'Remove them from the configuration files.',
  });
};
