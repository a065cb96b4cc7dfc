/*
 * node::ObjectWrap of Node 24.18. scripts/prepare.mjs and the Dockerfile include it before Node's own
 * header when they compile better-sqlite3 12 (CXXFLAGS="-include ...").
 *
 * Since Node 24.19, the destructor removes a cleanup hook. If the garbage collector runs it outside
 * of a context, the whole process aborts ("Assertion failed: (env) != nullptr",
 * https://github.com/WiseLibs/better-sqlite3/issues/1515). better-sqlite3 13 doesn't use this header
 * but needs Node 22. When Node 20 is no longer supported, update it, and remove this folder,
 * compilerFlags() in scripts/prepare.mjs and CXXFLAGS in the Dockerfile.
 */
#ifndef SRC_NODE_OBJECT_WRAP_H_
#define SRC_NODE_OBJECT_WRAP_H_

#include <cassert>
#include "node.h"

namespace node {

class ObjectWrap {
 public:
  ObjectWrap() = default;

  virtual ~ObjectWrap() {
    if (handle_.IsEmpty()) return;
    handle_.ClearWeak();
    handle_.Reset();
  }

  template <class T>
  static inline T* Unwrap(v8::Local<v8::Object> object) {
    assert(object->InternalFieldCount() > 0);
    // Cast to the base first, because T may have several base classes.
    void* pointer = object->GetAlignedPointerFromInternalField(0);
    return static_cast<T*>(static_cast<ObjectWrap*>(pointer));
  }

  inline v8::Local<v8::Object> handle() { return handle(v8::Isolate::GetCurrent()); }

  inline v8::Local<v8::Object> handle(v8::Isolate* isolate) {
    return v8::Local<v8::Object>::New(isolate, handle_);
  }

  inline v8::Persistent<v8::Object>& persistent() { return handle_; }

 protected:
  inline void Wrap(v8::Local<v8::Object> object) {
    assert(handle_.IsEmpty());
    assert(object->InternalFieldCount() > 0);
    object->SetAlignedPointerInInternalField(0, this);
    handle_.Reset(v8::Isolate::GetCurrent(), object);
    MakeWeak();
  }

  inline void MakeWeak() {
    handle_.SetWeak(this, WeakCallback, v8::WeakCallbackType::kParameter);
  }

  virtual void Ref() {
    handle_.ClearWeak();
    refs_++;
  }

  virtual void Unref() {
    assert(refs_ > 0);
    if (--refs_ == 0) MakeWeak();
  }

  int refs_ = 0;

 private:
  static void WeakCallback(const v8::WeakCallbackInfo<ObjectWrap>& data) {
    ObjectWrap* wrap = data.GetParameter();
    wrap->handle_.Reset();
    delete wrap;
  }

  v8::Persistent<v8::Object> handle_;
};

}  // namespace node

#endif  // SRC_NODE_OBJECT_WRAP_H_
