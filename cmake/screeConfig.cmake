# find_package(scree): scree::scree, the shared library; scree::shared and scree::static to choose one.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

include(${CMAKE_CURRENT_LIST_DIR}/screeTargets.cmake)
if(NOT TARGET scree::scree)
  add_library(scree::scree INTERFACE IMPORTED)
  set_target_properties(scree::scree PROPERTIES INTERFACE_LINK_LIBRARIES scree::shared)
endif()
