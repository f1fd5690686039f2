package dev.sluice.scheduling.tries;

import java.util.List;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AroundTryHook;
import net.jqwik.api.lifecycle.Lifespan;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.Store;
import net.jqwik.api.lifecycle.TryExecutionResult;
import net.jqwik.api.lifecycle.TryExecutor;
import net.jqwik.api.lifecycle.TryLifecycleContext;

/**
 * Ends each property of this module after a tenth of its tries, so that a run of the tests stays
 * short. {@code -Dsluice.tries=full} runs all of them. Found by jqwik as a service.
 */
public final class FewerTries implements AroundTryHook {
  private static final boolean FULL = "full".equals(System.getProperty("sluice.tries"));
  private static final int SHARE = 10;
  private static final int TRIES_MIN = 3;

  @Override
  public TryExecutionResult aroundTry(
      TryLifecycleContext context, TryExecutor aTry, List<Object> parameters) {
    TryExecutionResult result = aTry.execute(parameters);
    Property property = context.targetMethod().getAnnotation(Property.class);
    if (FULL || property == null || !result.isSatisfied()) {
      return result;
    }
    Store<Integer> tries = Store.getOrCreate(context.targetMethod(), Lifespan.PROPERTY, () -> 0);
    tries.update(done -> done + 1);
    boolean enough = tries.get() >= Math.max(TRIES_MIN, property.tries() / SHARE);
    return enough ? TryExecutionResult.satisfied(true) : result;
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }
}
