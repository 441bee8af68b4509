export { SimulatedModel } from './simulated-model.js';
