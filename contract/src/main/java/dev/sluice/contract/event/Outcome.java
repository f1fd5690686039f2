package dev.sluice.contract.event;

/**
 * The ends of jobs, and causes that held jobs up. Topic {@code outcomes}, dated by the broker's
 * append time.
 */
public sealed interface Outcome extends Event permits JobEnded, Blocked {}
