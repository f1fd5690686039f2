package dev.sluice.harness.process;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Signals such as Ctrl-C, taken as a wish to stop: the run drains and ends by itself. All shutdown
 * hooks start at once, and the engines' would remove the engine under lanes that still run. A
 * second signal ends the process.
 *
 * <p>{@code sun.misc.Signal} is called by reflection, since the compiler warns of its name in a way
 * that cannot be silenced.
 */
public final class Signals implements AutoCloseable {
  private static final int EXIT_BASE = 128;
  private static final int EXIT_PARENT_GONE = 1;

  public final AtomicInteger received = new AtomicInteger();

  private final Map<Object, Object> before = new LinkedHashMap<>();

  /** Begins to listen: the first signal, and what comes before the second ends the process. */
  public static Signals listen(Runnable onFirst, Runnable onSecond) {
    return listen(onFirst, onSecond, List.of("INT", "TERM", "HUP"), List.of());
  }

  /**
   * Listens in a child: a terminal sends Ctrl-C to both, and the parent knows what to stop first.
   */
  public static Signals listenAsChild(Runnable onFirst, Runnable onSecond) {
    return listen(onFirst, onSecond, List.of("TERM"), List.of("INT", "HUP"));
  }

  /**
   * Begins to listen in a process that, as a child of Sluice's own, stops when its parent is gone.
   */
  public static Signals listen(boolean child, Runnable onFirst, Runnable onSecond) {
    if (!child) {
      return listen(onFirst, onSecond);
    }
    ParentWatch.start(line -> {}, onFirst);
    return listenAsChild(onFirst, onSecond);
  }

  /**
   * Begins to listen in a process that has one part of a larger work, and ends at once with its
   * parent, if it is a child of Sluice's own.
   */
  public static Signals listenAsPart(
      boolean child, Consumer<String> onLine, Runnable onFirst, Runnable onEnd) {
    if (!child) {
      return listen(onFirst, onEnd);
    }
    ParentWatch.start(
        onLine,
        () -> {
          onEnd.run();
          Runtime.getRuntime().halt(EXIT_PARENT_GONE);
        });
    return listenAsChild(onFirst, onEnd);
  }

  public static Signals listen(
      Runnable onFirst, Runnable onSecond, List<String> heeded, List<String> ignored) {
    var signals = new Signals();
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getName().equals("handle")) {
            signals.receive(number(arguments[0]), onFirst, onSecond);
            return null;
          }
          return method.invoke(signals, arguments);
        };
    try {
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Object listener =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(), new Class<?>[] {handlerType}, handler);
      for (String name : heeded) {
        Object signal = signal(name);
        signals.before.put(signal, handle(signal, listener));
      }
      for (String name : ignored) {
        Object signal = signal(name);
        signals.before.put(signal, handle(signal, handlerType.getField("SIG_IGN").get(null)));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java has no signals", e);
    }
    return signals;
  }

  private static Object signal(String name) throws ReflectiveOperationException {
    return Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance(name);
  }

  private static int number(Object signal) throws ReflectiveOperationException {
    return (int) signal.getClass().getMethod("getNumber").invoke(signal);
  }

  private static Object handle(Object signal, Object handler) throws ReflectiveOperationException {
    return signal
        .getClass()
        .getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"))
        .invoke(null, signal, handler);
  }

  private void receive(int number, Runnable onFirst, Runnable onSecond) {
    if (received.compareAndSet(0, number)) {
      onFirst.run();
    } else {
      onSecond.run();
      Runtime.getRuntime().halt(EXIT_BASE + number);
    }
  }

  public boolean received() {
    return received.get() != 0;
  }

  /** The exit status for the signal: 130 after Ctrl-C. */
  public int exitStatus() {
    return EXIT_BASE + received.get();
  }

  @Override
  public void close() {
    before.forEach(
        (signal, handler) -> {
          try {
            handle(signal, handler);
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a signal cannot be given back", e);
          }
        });
  }
}
