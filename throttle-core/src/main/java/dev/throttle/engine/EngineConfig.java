package dev.throttle.engine;

/**
 * What an engine goes by: its policy and what was made of it, replaced in one step.
 *
 * @param policy the policy
 * @param guards the guards of this key, one for each that the policy names
 * @param parts the controllers, one for each strategy of the policy
 * @param responses reads responses
 */
record EngineConfig(EnginePolicy policy, GuardChain guards, ControllerParts parts, ResponseReader responses) {}
